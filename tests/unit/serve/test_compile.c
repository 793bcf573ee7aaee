/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "../tap.h"
#include "serve/serve.h"

static void test_flags(void)
{
	static const char *const good[] = {"-O2",
					   "-O",
					   "-Ofast",
					   "-march=native",
					   "-mavx2",
					   "-mprefer-vector-width=256",
					   "-ffast-math",
					   "-fno-tree-vectorize",
					   "-ffp-contract=fast",
					   "-std=c++20",
					   "-Wall",
					   "-Wno-unused",
					   "-DN=4",
					   "-g",
					   "-funroll-loops"};
	static const char *const bad[] = {"",
					  "-",
					  "file.c",
					  "/etc/passwd",
					  "-o",
					  "-ofile",
					  "-O9",
					  "-I/etc",
					  "-include",
					  "-include/etc/passwd",
					  "-B.",
					  "-fplugin=x.so",
					  "-fno-plugin=x",
					  "-specs=x",
					  "-wrapper",
					  "-Wa,-o,x",
					  "-Wl,x",
					  "-Wp,-MD,x",
					  "-MD",
					  "-MFx",
					  "-dumpdir",
					  "-fdump-tree-all",
					  "-save-temps",
					  "-fprofile-use=/x",
					  "-mllvm",
					  "@file",
					  "-D",
					  "-DX=\"y",
					  "-DX=$(id)",
					  "-std=/x",
					  "-march=/x",
					  "-x",
					  "-E",
					  "-S",
					  "-fopenmp=../x",
					  "-D_A=a/b"};

	for (size_t i = 0; i < TAKT_COUNT_OF(good); i++)
		ok(takt_serve_flag_allowed(good[i]), "'%s' is allowed", good[i]);
	for (size_t i = 0; i < TAKT_COUNT_OF(bad); i++)
		ok(!takt_serve_flag_allowed(bad[i]), "'%s' is not", bad[i]);
}

static bool compile(const char *compiler, const char *flags, const char *source,
		    struct takt_text *messages, struct takt_text *errors)
{
	struct takt_diag *diag = takt_diag_new();
	struct serve_object object = {.data = NULL};
	bool fine = takt_serve_compile(compiler, flags, (struct takt_word){source, strlen(source)},
				       diag, messages, &object);
	char folder[sizeof(object.folder)];

	memcpy(folder, object.folder, sizeof(folder));
	ok(!fine || (object.size_bytes > 4 && memcmp(object.data, "\177ELF", 4) == 0),
	   "%s %s: an object file, or none", compiler, flags);
	takt_serve_object_release(&object);
	ok(!*folder || access(folder, F_OK) != 0, "nothing is left behind");
	takt_text_add_string(errors, takt_diag_text(diag));
	takt_diag_free(diag);
	return fine;
}

static void test_compilers(void)
{
	struct takt_text messages = {0}, errors = {0};

	if (access("/usr/bin/gcc", X_OK) != 0) {
		tap_skip("compiling", "there is no gcc");
		return;
	}
	ok(compile("gcc", "-O2  -DN=4", "int f(int x) { return x * N; }\n", &messages, &errors),
	   "gcc compiles");
	ok(!messages.size_bytes, "without a word");
	ok(!compile("gcc", "", "int f( {\n", &messages, &errors), "damaged code is refused");
	ok(strstr(takt_text_data(&messages), "code.c:1:") != NULL, "with the line");
	takt_text_clear(&errors);
	ok(!compile("gcc", "-fplugin=x", "", &messages, &errors) &&
		   strstr(takt_text_data(&errors), "'-fplugin=x' is not allowed"),
	   "so is a flag that is not allowed");
	takt_text_clear(&errors);
	ok(!compile("sh", "", "", &messages, &errors) &&
		   strstr(takt_text_data(&errors), "no compiler 'sh'"),
	   "so is any other program");
	takt_text_release(&messages);
	takt_text_release(&errors);
}

int main(void)
{
	test_flags();
	test_compilers();
	return tap_done();
}
