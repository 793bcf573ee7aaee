long sum(const long *numbers, long count)
{
	long total = 0;

	for (long i = 0; i < count; i++)
		total += numbers[i];
	return total;
}
