/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* newCWV in front of CUBIC: `newcwv_cubic` with paced bursts, `newcwv_cubic_np` without. */
#define BASE_CUBIC
#include "newcwv.h"
