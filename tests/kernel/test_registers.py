"""Writes of registers that change nothing are spared, and no others: what a kernel in user mode links around ptrace."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ackclock.kernel import registers

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")

HOST = r"""
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

long __wrap_ptrace(int request, ...);
static unsigned char host[3][11008];
static int writes, read;

/* The host's side: two processes with registers. */
long __real_ptrace(int request, int pid, void *address, void *data)
{
	struct iovec *area = data;
	if (request == PTRACE_GETREGSET) {
		if (area->iov_len > sizeof host[pid])
			area->iov_len = sizeof host[pid];
		read += area->iov_len;
		memcpy(area->iov_base, host[pid], area->iov_len);
	} else if (request == PTRACE_SETREGSET) {
		writes++;
		memcpy(host[pid], area->iov_base, sizeof host[pid]);
	} else if (request == PTRACE_SYSEMU) {
		host[pid][1000]++;
	}
	return 0;
}

static unsigned char room[12288], other[12288];

static void access_registers(int request, int pid, unsigned char *where)
{
	struct iovec area = { where, sizeof room };
	__wrap_ptrace(request, pid, NT_X86_XSTATE, &area);
}

static void step(const char *name, int expected)
{
	if (writes != expected) printf("%s: %d writes\n", name, writes);
	writes = 0;
}

int main(void)
{
	access_registers(PTRACE_GETREGSET, 1, room);
	__wrap_ptrace(PTRACE_SETREGS, 1, 0, 0);
	access_registers(PTRACE_SETREGSET, 1, room);
	step("unchanged", 0);
	__wrap_ptrace(PTRACE_SYSEMU, 1, 0, 0);
	access_registers(PTRACE_SETREGSET, 1, room);
	step("the process has run", 1);
	access_registers(PTRACE_GETREGSET, 1, room);
	room[2000] = 9;
	access_registers(PTRACE_SETREGSET, 1, room);
	step("the kernel has changed a byte", 1);
	access_registers(PTRACE_GETREGSET, 1, room);
	access_registers(PTRACE_SETREGSET, 2, room);
	step("another process", 1);
	access_registers(PTRACE_GETREGSET, 1, room);
	access_registers(PTRACE_SETREGSET, 1, other);
	step("another thread", 1);
	if (read != 11008 + 3 * 2696) printf("%d bytes read\n", read);

	/* Bit 18 of XSTATE_BV: tiles of AMX are in use. */
	host[1][514] = 4;
	host[1][9000] = 7;
	read = 0;
	access_registers(PTRACE_GETREGSET, 1, room);
	if (read != 2696 + 11008 || room[9000] != 7) printf("%d bytes read with AMX\n", read);
	host[1][514] = host[1][9000] = 0;
	access_registers(PTRACE_GETREGSET, 1, room);
	if (memcmp(room, host[1], sizeof host[1])) printf("not the registers without AMX\n");
	return 0;
}
"""


def test_a_write_is_spared_only_where_the_process_has_these_registers(tmp_path: Path):
    (tmp_path / "host.c").write_text(HOST)
    program = tmp_path / "host"
    command = ["gcc", "-Wall", "-Werror", "-O2", str(registers.SPARED), str(tmp_path / "host.c")]
    subprocess.run([*command, "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
