	slli	a3, a3, 2
	add	a3, a3, a0
	vsetvli	t0, zero, e32, m8, ta, ma
.Lloop:
	vle32.v	v8, (a0)
	vle32.v	v16, (a1)
	vadd.vv	v8, v8, v16
	vse32.v	v8, (a2)
	addi	a0, a0, 64
	addi	a1, a1, 64
	addi	a2, a2, 64
	bne	a0, a3, .Lloop
	ret
