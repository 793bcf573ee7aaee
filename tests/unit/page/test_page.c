/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "page/page.h"

/* Return the data of a page: the text between its two parts. */
static char *data_of(const struct takt_text *page)
{
	const char *from = takt_text_data(page) + takt_page_head_bytes;
	const char *to = takt_text_data(page) + takt_text_size_bytes(page) - takt_page_foot_bytes;

	return strndup(from, (size_t)(to - from));
}

static void test_data(void)
{
	char first[] = "takt", second[] = "analyze", third[] = "a b's.s";
	char *words[] = {first, second, third};
	const struct takt_page page = {.kind = "analyze",
				       .arguments = words,
				       .argument_count = 3,
				       .report = "{\"region\": \"</script><!-- <b>\"}",
				       .text = "a < b\n"};
	struct takt_text *text = takt_text_new();
	char *data;

	takt_write_page(&page, text);
	data = data_of(text);
	is_string(data,
		  "{\n  \"kind\": \"analyze\",\n"
		  "  \"command\": \"takt analyze 'a b'\\\\''s.s'\",\n"
		  "  \"version\": \"" TAKT_VERSION "\",\n"
		  "  \"report\": {\"region\": \"\\u003c/script>\\u003c!-- \\u003cb>\"},\n"
		  "  \"text\": \"a \\u003c b\\n\"\n}\n",
		  "data in which HTML sees no tag");
	free(data);
	takt_text_free(text);
}

static void test_policy(void)
{
	struct takt_text *text = takt_text_new();
	const struct takt_page page = {.kind = "analyze", .report = "{}"};
	const char *html;

	takt_write_page(&page, text);
	html = takt_text_data(text);
	ok(strncmp(html, "<!doctype html>", 15) == 0, "begins as HTML");
	ok(strstr(html, "default-src 'none'; script-src 'sha256-") != NULL, "a strict policy");
	ok(!strstr(html, "http://") || strstr(html, "http://www.w3.org/2000/svg"),
	   "nothing is loaded");
	ok(!strstr(html, "https://"), "nothing is loaded securely either");
	ok(takt_text_size_bytes(text) < 1000000, "at most 1 MB without data");
	takt_text_free(text);
}

int main(void)
{
	test_data();
	test_policy();
	return tap_done();
}
