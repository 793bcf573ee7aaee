/* SPDX-License-Identifier: MIT */
/* Forms that an encoding has, and those that none has. */
#include "isa/isa.h"
#include "../tap.h"

int main(void)
{
	static const struct {
		int line;
		const char *form;
		bool exists;
	} cases[] = {
		{__LINE__, "add r64, r64", true},
		{__LINE__, "add r64, m64", true},
		{__LINE__, "kaddb k, k, k", true},
		{__LINE__, "kaddb r16, r16, r16", false},
		{__LINE__, "vaddpd xmm, xmm, xmm", true},
		{__LINE__, "vaddpd xmm, r32, xmm, xmm", false},
		{__LINE__, "vaddpd zmm, zmm, zmm", true},
		{__LINE__, "pmovmskb r64, xmm", true},
		{__LINE__, "movd r64, xmm", false},
		{__LINE__, "lea r64, [b+i*s+d]", true},
		{__LINE__, "rep cmpsb", true}, /* with repe */
		{__LINE__, "rep scasq", true},
		{__LINE__, "rep movsb", true},
		{__LINE__, "rep add r64, r64", false},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		const char *error, *form = cases[i].form;
		size_t at;
		takt_form_key key = takt_form_parse(&takt_isa_x86, form, strlen(form), &at, &error);

		tap_ok_at(__FILE__, cases[i].line, key && takt_form_exists(key) == cases[i].exists,
			  "%s", form);
	}
	ok(!takt_form_exists(0), "no form");
	return tap_done();
}
