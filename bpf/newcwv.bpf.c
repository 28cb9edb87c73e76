/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* newCWV in front of Reno: `newcwv` with paced bursts, `newcwv_np` without. */
#include "newcwv.h"
