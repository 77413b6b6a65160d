package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is a second lock on the file system, beside read-only mounts: even if
// one of them were missed, nothing outside the private folders can be changed.

// Rights by version of the interface; a kernel refuses those it does not know.
const (
	landlockWrite1 = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	landlockRefer    = unix.LANDLOCK_ACCESS_FS_REFER    // version 2
	landlockTruncate = unix.LANDLOCK_ACCESS_FS_TRUNCATE // version 3
)

// landlock forbids this thread and what it starts to change anything but what is
// below the writable folders. It reports false where the kernel has no Landlock.
func landlock(writable []string) (bool, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		if errors.Is(errno, unix.ENOSYS) || errors.Is(errno, unix.EOPNOTSUPP) {
			return false, nil
		}
		return false, fmt.Errorf("ask for Landlock: %w", errno)
	}
	rights := uint64(landlockWrite1)
	if version >= 2 {
		rights |= landlockRefer
	}
	if version >= 3 {
		rights |= landlockTruncate
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rights}
	// Only the first field: older kernels do not know the others.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr.Handled_access_fs), 0)
	if errno != 0 {
		return false, fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, dir := range writable {
		if err := landlockAllow(fd, dir, rights); err != nil {
			return false, err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return false, fmt.Errorf("apply the Landlock ruleset: %w", errno)
	}
	return true, nil
}

func landlockAllow(ruleset uintptr, dir string, rights uint64) error {
	at, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s for Landlock: %w", dir, err)
	}
	defer unix.Close(at)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(at)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("allow %s in Landlock: %w", dir, errno)
	}
	return nil
}

// prctlPointer is prctl with a pointer as its third argument.
func prctlPointer(option int, arg uintptr, p *unix.SockFprog) error {
	if _, _, errno := unix.Syscall(unix.SYS_PRCTL, uintptr(option), arg, uintptr(unsafe.Pointer(p))); errno != 0 {
		return errno
	}
	return nil
}

// loopbackUp starts the only network there is inside.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}
