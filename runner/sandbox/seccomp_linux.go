package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// filter is a seccomp program: a list of system calls that no test needs and that
// reach far into the kernel. It stands beside the namespaces, not in their place.
type filter []unix.SockFilter

// denied system calls fail with EPERM.
var denied = []uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_BPF, unix.SYS_CHROOT, unix.SYS_CLOCK_SETTIME, unix.SYS_DELETE_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE,
	unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_URING_SETUP, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_KEXEC_LOAD,
	unix.SYS_KEYCTL, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE,
	unix.SYS_PERF_EVENT_OPEN, unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PTRACE,
	unix.SYS_QUOTACTL, unix.SYS_REBOOT, unix.SYS_REQUEST_KEY, unix.SYS_SETNS, unix.SYS_SWAPOFF, unix.SYS_SWAPON, unix.SYS_SYSLOG,
	unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD,
}

// families of sockets that may be opened; the network namespace keeps them inside.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// offsets in struct seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

func auditArch() (uint32, error) {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64, nil
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64, nil
	}
	return 0, fmt.Errorf("no system call filter is written for %s", runtime.GOARCH)
}

// newFilter writes the program.
func newFilter() (filter, error) {
	arch, err := auditArch()
	if err != nil {
		return nil, err
	}
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		bits  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	fail := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	var f filter
	add := func(code uint16, jt, jf uint8, k uint32) {
		f = append(f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
	}

	add(load, 0, 0, dataArch)
	add(equal, 1, 0, arch)
	add(give, 0, 0, unix.SECCOMP_RET_KILL_PROCESS) // another architecture numbers its calls differently
	add(load, 0, 0, dataNumber)
	if arch == unix.AUDIT_ARCH_X86_64 {
		add(above, 0, 1, 0x40000000) // x32 numbers
		add(give, 0, 0, fail(unix.ENOSYS))
	}
	for _, nr := range denied {
		add(equal, 0, 1, nr)
		add(give, 0, 0, fail(unix.EPERM))
	}
	// The C library falls back to clone, whose flags a filter can read.
	add(equal, 0, 1, unix.SYS_CLONE3)
	add(give, 0, 0, fail(unix.ENOSYS))
	add(equal, 0, 4, unix.SYS_CLONE)
	add(load, 0, 0, dataArgs)
	add(bits, 0, 1, unix.CLONE_NEWUSER)
	add(give, 0, 0, fail(unix.EPERM))
	add(give, 0, 0, unix.SECCOMP_RET_ALLOW)
	// Characters put into the terminal's input would be typed by the user.
	add(equal, 0, 5, unix.SYS_IOCTL)
	add(load, 0, 0, dataArgs+8)
	add(equal, 1, 0, unix.TIOCSTI)
	add(equal, 0, 1, unix.TIOCLINUX)
	add(give, 0, 0, fail(unix.EPERM))
	add(give, 0, 0, unix.SECCOMP_RET_ALLOW)
	n := uint8(len(families))
	add(equal, 0, n+3, unix.SYS_SOCKET)
	add(load, 0, 0, dataArgs)
	for i, fam := range families {
		add(equal, n-uint8(i), 0, fam)
	}
	add(give, 0, 0, fail(unix.EAFNOSUPPORT))
	add(give, 0, 0, unix.SECCOMP_RET_ALLOW)
	add(give, 0, 0, unix.SECCOMP_RET_ALLOW)
	return f, nil
}

// bytes is the program as the kernel and bwrap take it.
func (f filter) bytes() []byte {
	var out []byte
	for _, i := range f {
		out = binary.NativeEndian.AppendUint16(out, i.Code)
		out = append(out, i.Jt, i.Jf)
		out = binary.NativeEndian.AppendUint32(out, i.K)
	}
	return out
}
