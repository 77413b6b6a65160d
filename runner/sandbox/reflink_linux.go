package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// reflink makes out share the blocks of in; false where the file system cannot.
func reflink(out, in *os.File) bool { return unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil }
