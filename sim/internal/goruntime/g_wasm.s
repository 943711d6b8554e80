//go:build go1.26 && !go1.27 && !unreadable

#include "textflag.h"

// func g() unsafe.Pointer
TEXT ·g(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
