/* SPDX-License-Identifier: MIT */
/* Code that is written, run and written again: mov eax, i; ret. */
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	if (page == MAP_FAILED)
		return 1;
	for (int i = 0; i < 50; i++) {
		int (*function)(void);

		code[1] = (unsigned char)(i % 5);
		memcpy(page, code, sizeof(code));
		memcpy(&function, &page, sizeof(function));
		sum += function();
	}
	return sum;
}
