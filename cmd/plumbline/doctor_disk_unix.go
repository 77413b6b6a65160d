//go:build unix && !solaris && !netbsd && !openbsd

package main

import (
	"fmt"
	"syscall"
)

// freeDisk is how many bytes this user may still write where dir is.
func freeDisk(dir string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("ask for the free space of %s: %w", dir, err)
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}
