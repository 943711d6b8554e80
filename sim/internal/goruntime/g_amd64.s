//go:build go1.26 && !go1.27

#include "textflag.h"

// func g() unsafe.Pointer
TEXT ·g(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
