.file 1 "kernel.c"
.loc 1 3
l: add 