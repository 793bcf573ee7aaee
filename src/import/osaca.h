/* SPDX-License-Identifier: MIT */
/* osaca: finds the takt forms that an entry of an OSACA model stands for. */
#ifndef TAKT_IMPORT_OSACA_H
#define TAKT_IMPORT_OSACA_H

#include "import/yaml_node.h"

#define TAKT_OSACA_FORMS_MAX 64u

/*
 * List the forms of a mnemonic with the operands of a YAML entry, in AT&T order. An operand "gpr"
 * stands for every width, a memory operand for the size that goes with the registers. Return the
 * number of forms; 0, with the reason, if takt has no such form.
 */
size_t takt_osaca_forms(const char *mnemonic, const struct takt_yaml_node *operands,
			takt_form_key *ret_forms, const char **ret_reason);
/*
 * Do the same for AArch64 (osaca_aarch64.c): list the forms that the core of a model has rows for.
 * A vector without a number of elements stands for all, and wildcards in addresses likewise.
 */
size_t takt_osaca_forms_aarch64(const struct takt_model *model, const char *mnemonic,
				const struct takt_yaml_node *operands, takt_form_key *ret_forms,
				const char **ret_reason);

#endif
