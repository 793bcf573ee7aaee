/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <unistd.h>

#include "elf_text.h"

static void visit_sections(Elf *elf, elf_text_visitor visit, void *context)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf && data->d_size)
			visit(context, data->d_buf, data->d_size, header.sh_addr);
	}
}

bool elf_text_visit(const char *path, elf_text_visitor visit, void *context)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0) {
		perror(path);
		return false;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		fprintf(stderr, "%s: not an ELF file\n", path);
		elf_end(elf);
		close(fd);
		return false;
	}
	visit_sections(elf, visit, context);
	elf_end(elf);
	close(fd);
	return true;
}

bool elf_text_is_aarch64(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	bool is = fd >= 0 && read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header) &&
		  header.e_machine == EM_AARCH64;

	if (fd >= 0)
		close(fd);
	return is;
}
