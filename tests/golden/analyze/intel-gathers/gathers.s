	vgatherdpd ymm0,QWORD PTR [rax+xmm1*8],ymm2
	vpgatherdd ymm0,DWORD PTR [rax+ymm1*4],ymm2
	vgatherqps xmm0,DWORD PTR [rax+ymm1*4],xmm2
	vpgatherqq xmm0,QWORD PTR [rax+xmm1*8],xmm2
	vpgatherdq ymm0,QWORD PTR [rax+xmm1*8],ymm2
