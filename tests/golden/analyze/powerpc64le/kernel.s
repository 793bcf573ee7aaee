# OSACA-BEGIN
.L2:
	lfd	0, 0(4)
	lfd	12, 0(5)
	fmadd	0, 1, 0, 12
	stfd	0, 0(5)
	addi	4, 4, 8
	addi	5, 5, 8
	bdnz	.L2
# OSACA-END
