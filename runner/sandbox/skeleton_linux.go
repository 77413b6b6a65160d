package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// What every isolating backend on Linux shows of the system, all of it read-only:
// /usr with what belongs to it, and of /etc only what programs need to start.

// systemDirs are shown if they are there; a symbolic link is made again as one.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// systemFiles are shown if they are there. None tells who uses this host.
var systemFiles = []string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/mime.types", "/etc/ssl/certs",
	"/etc/ssl/openssl.cnf", "/etc/python3", "/etc/python3.11", "/etc/python3.12", "/etc/python3.13",
}

// writtenFiles stand for files of the host that would tell too much.
var writtenFiles = []struct{ path, text string }{
	{"/etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\nsandbox:x:1000:1000:sandbox:/box/home:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
	{"/etc/group", "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"},
	{"/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"},
	{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
	{"/etc/resolv.conf", ""},
}

// shown is a folder or file of the system and how to show it.
type shown struct {
	Path   string
	Source string // where it really is, without symbolic links
	Link   string // target, if it is a symbolic link
}

// systemShown lists what there is of the system, and the folders a user added.
func systemShown(more []string) []shown {
	var out []shown
	for _, p := range systemDirs {
		info, err := os.Lstat(p)
		if err != nil {
			continue
		}
		if info.Mode()&os.ModeSymlink != 0 {
			if target, err := os.Readlink(p); err == nil {
				out = append(out, shown{Path: p, Link: target})
			}
			continue
		}
		out = append(out, shown{Path: p, Source: p})
	}
	for _, p := range append(append([]string(nil), systemFiles...), more...) {
		if source, err := filepath.EvalSymlinks(p); err == nil && !underSystem(p) {
			out = append(out, shown{Path: filepath.Clean(p), Source: source})
		}
	}
	return out
}

// underSystem reports whether a path is shown already.
func underSystem(p string) bool {
	for _, d := range systemDirs {
		if p == d || strings.HasPrefix(p, d+"/") {
			return true
		}
	}
	return false
}
