/* SPDX-License-Identifier: MIT */
int work(int n)
{
	return 3 * n;
}
