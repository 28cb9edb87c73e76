/*
 * Linked into a kernel in user mode, in place of libc's ptrace.
 *
 * After each stop of its process the kernel reads the process's extended registers, and before each start it writes them:
 * 11 kB each where the processor has AMX. The host allocates and maps pages for a write. Here a write is left out if the
 * process has exactly these registers, because they were read after its last stop. A read leaves out the registers of AMX if
 * they are not in use.
 */
#include <elf.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif

#define ROOM 16384
/* Intel SDM, volume 1, section 13.4: the field XSTATE_BV, the registers up to PKRU, and their bits in the field. */
#define XSTATE_BV 512
#define COMMON 2696
#define COMMON_BITS 0x3ff

/* The process whose extended registers are known, until it runs; 0 if there is none. */
static int owner;
static unsigned char known[ROOM];
static size_t length;

long __real_ptrace(int request, int pid, void *address, void *data);

/* Reads the extended registers. What is not in use is zero. */
static long read_registers(int pid, void *address, struct iovec *area)
{
	uint64_t used;
	if (length > COMMON && area->iov_len >= length) {
		struct iovec part = { area->iov_base, COMMON };
		long result = __real_ptrace(PTRACE_GETREGSET, pid, address, &part);
		if (result != 0)
			return result;
		memcpy(&used, (char *)area->iov_base + XSTATE_BV, sizeof used);
		if ((used & ~(uint64_t)COMMON_BITS) == 0) {
			memset((char *)area->iov_base + COMMON, 0, length - COMMON);
			area->iov_len = length;
			return 0;
		}
	}
	return __real_ptrace(PTRACE_GETREGSET, pid, address, area);
}

long __wrap_ptrace(int request, ...)
{
	va_list arguments;
	va_start(arguments, request);
	int pid = va_arg(arguments, int);
	void *address = va_arg(arguments, void *);
	void *data = va_arg(arguments, void *);
	va_end(arguments);

	struct iovec *area = data;
	int extended = (long)address == NT_X86_XSTATE;
	if (request == PTRACE_GETREGSET && extended) {
		long result = read_registers(pid, address, area);
		owner = 0;
		if (result == 0 && area->iov_len <= ROOM) {
			length = area->iov_len;
			memcpy(known, area->iov_base, length);
			owner = pid;
		}
		return result;
	}
	/* The kernel gives the size of its room, of which the host takes as much as the registers have. */
	if (request == PTRACE_SETREGSET && extended && pid == owner && area->iov_len >= length &&
	    memcmp(area->iov_base, known, length) == 0)
		return 0;
	/* These neither run the process nor change its extended registers. */
	if (request != PTRACE_GETREGS && request != PTRACE_SETREGS && request != PTRACE_GETSIGINFO)
		owner = 0;
	return __real_ptrace(request, pid, address, data);
}
