/* SPDX-License-Identifier: MIT */
/*
 * page: writes reports for a browser (the functions are declared in takt/page.h). The program that
 * shows them is in web/; tools/bundle_web.py makes one HTML file of it, in two parts, between which
 * the data comes.
 */
#ifndef TAKT_PAGE_H
#define TAKT_PAGE_H

#include "base/base.h"

/* Parts of the HTML file, made at build time. */
extern const unsigned char takt_page_head[], takt_page_foot[];
extern const size_t takt_page_head_bytes, takt_page_foot_bytes;

#endif
