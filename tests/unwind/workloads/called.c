/* SPDX-License-Identifier: BSD-2-Clause */
int called_1(int n);
int called_2(int n);

int called_1(int n)
{
	return n * 3;
}

int called_2(int n)
{
	return n ^ 5;
}
