/* Lets a library see a processor without AVX-512, AMX and VNNI.

   The cpuid instructions of the library were replaced by breakpoints (older_processor.py). Each
   raises SIGTRAP, and the handler answers what cpuid says without those features. */

#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>

#define BIT(n) (1u << (n))

static void answer_cpuid(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    unsigned leaf = registers[REG_RAX], subleaf = registers[REG_RCX];
    unsigned a, b, c, d;
    (void)number;
    (void)info;
    __cpuid_count(leaf, subleaf, a, b, c, d);
    if (leaf == 7 && subleaf == 0) {
        b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(28) | BIT(30) | BIT(31)); /* AVX-512 */
        c &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));             /* its VNNI and others */
        d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25)); /* AMX */
    } else if (leaf == 7 && subleaf == 1) {
        a &= ~(BIT(4) | BIT(5) | BIT(21) | BIT(23)); /* AVX-VNNI and others */
        d = 0;
    }
    registers[REG_RAX] = a;
    registers[REG_RBX] = b;
    registers[REG_RCX] = c;
    registers[REG_RDX] = d;
}

__attribute__((constructor)) static void install(void)
{
    struct sigaction action = {0};
    action.sa_sigaction = answer_cpuid;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigaction(SIGTRAP, &action, 0);
}
