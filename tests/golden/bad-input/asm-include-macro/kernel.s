.macro from name
	.\name "/etc/passwd"
.endm
1:	decq %rcx
	from include
	jnz 1b
