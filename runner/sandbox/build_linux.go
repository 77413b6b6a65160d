package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Where the first process inside assembles the new root: a file system in memory
// over a folder that every host has. The old root is seen below it until the end,
// so that sources which lie in that very folder are reached too.
const (
	baseDir  = "/tmp"
	oldRoot  = "/old"
	newRoot  = "/new"
	storeDir = "/store" // holds the box, and what copies change
)

// build makes the file system of the sandbox and enters it.
func build(o order) (gaps []string, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("leave the host's mounts: %w", err)
	}
	if err := inMemory(baseDir, 16<<20, 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(baseDir+oldRoot, 0o755); err != nil {
		return nil, err
	}
	if err := unix.PivotRoot(baseDir, baseDir+oldRoot); err != nil {
		return nil, fmt.Errorf("leave the host's root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return nil, err
	}
	if err := inMemory(newRoot, 16<<20, 0o755); err != nil {
		return nil, err
	}
	if err := buildSystem(o); err != nil {
		return nil, err
	}
	if gaps, err = buildKernel(o); err != nil {
		return nil, err
	}
	if err := buildBox(o); err != nil {
		return nil, err
	}
	return gaps, enter()
}

// enter makes the new root the only one.
func enter() error {
	if err := os.Chdir(newRoot); err != nil {
		return err
	}
	// The new root is stacked on the base, the base is taken away from below it.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the host's root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return seal("/", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, false)
}

// inMemory mounts an empty file system of a size.
func inMemory(dir string, size int64, mode os.FileMode) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	opts := "size=" + strconv.FormatInt(size, 10) + ",mode=" + strconv.FormatUint(uint64(mode), 8)
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, opts); err != nil {
		return fmt.Errorf("mount a file system in memory at %s: %w", dir, err)
	}
	return nil
}

// bind shows a folder or file of the old root in the new one.
func bind(from, to string, readOnly bool) error {
	from = oldRoot + from
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		err = os.WriteFile(to, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("show %s: %w", from, err)
	}
	attr := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if readOnly {
		attr |= unix.MOUNT_ATTR_RDONLY
	}
	return seal(to, attr, true)
}

// seal sets attributes of a mount, and of all below it.
func seal(dir string, attr uint64, below bool) error {
	flags := uint(0)
	if below {
		flags = unix.AT_RECURSIVE
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, dir, flags, &unix.MountAttr{Attr_set: attr}); err != nil {
		return fmt.Errorf("seal %s: %w", dir, err)
	}
	return nil
}

func buildSystem(o order) error {
	for _, s := range o.Shown {
		to := newRoot + s.Path
		if s.Link != "" {
			if err := os.Symlink(s.Link, to); err != nil {
				return err
			}
			continue
		}
		if err := bind(s.Source, to, true); err != nil {
			return err
		}
	}
	for _, f := range writtenFiles {
		to := newRoot + f.path
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(f.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// buildKernel mounts /proc and /dev. A container may hide parts of its own /proc,
// and the kernel then forbids a new one.
func buildKernel(o order) (gaps []string, err error) {
	proc, dev := newRoot+"/proc", newRoot+"/dev"
	if err := os.MkdirAll(proc, 0o555); err != nil {
		return nil, err
	}
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		if !errors.Is(err, unix.EPERM) {
			return nil, fmt.Errorf("mount /proc: %w", err)
		}
		gaps = append(gaps, "there is no /proc: this container hides parts of its own")
	} else if err := seal(proc, unix.MOUNT_ATTR_RDONLY, false); err != nil {
		// Where root is mapped in, parts of /proc would otherwise obey it.
		return nil, err
	}
	if err := inMemory(dev, 1<<20, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		to := filepath.Join(dev, name)
		if err := os.WriteFile(to, nil, 0o666); err != nil {
			return nil, err
		}
		// These are devices, so nodev must not apply.
		if err := unix.Mount(oldRoot+"/dev/"+name, to, "", unix.MS_BIND, ""); err != nil {
			return nil, fmt.Errorf("show /dev/%s: %w", name, err)
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(target, filepath.Join(dev, name)); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(filepath.Join(dev, "pts"), 0o755); err != nil {
		return nil, err
	}
	if err := unix.Mount("devpts", filepath.Join(dev, "pts"), "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		gaps = append(gaps, "there are no terminals")
	}
	if err := inMemory(filepath.Join(dev, "shm"), o.Limits.Disk, 0o1777); err != nil {
		return nil, err
	}
	return gaps, seal(dev, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, false)
}

// buildBox makes the private folders and the command's own mounts.
func buildBox(o order) error {
	if err := inMemory(newRoot+"/tmp", o.Limits.Disk, 0o1777); err != nil {
		return err
	}
	// Box and changes of copies share one size.
	if err := inMemory(storeDir, o.Limits.Disk, 0o755); err != nil {
		return err
	}
	box := storeDir + "/box"
	if err := os.MkdirAll(box+"/home", 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(newRoot+boxDir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(box, newRoot+boxDir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("show the box: %w", err)
	}
	for i, m := range o.Mounts {
		to := newRoot + place(m.Target, boxDir)
		var err error
		switch m.Mode {
		case ReadOnly:
			err = bind(m.Source, to, true)
		case Writable:
			err = bind(m.Source, to, false)
		case Links:
			err = linkTree(to, m, i)
		default:
			err = copyInside(to, m, i)
		}
		if err != nil {
			return fmt.Errorf("mount %s: %w", m.Target, err)
		}
	}
	return nil
}

// copyInside shows a copy: by an overlay, which copies only what is changed, or
// file by file where the kernel or the file system allows no overlay.
func copyInside(to string, m Mount, i int) error {
	m.Source = oldRoot + m.Source
	if m.Over != "" {
		m.Over = oldRoot + m.Over
	}
	if !overlay(to, m.Source, i) {
		return copyMount(m, to)
	}
	return changeCopy(m, to)
}

func overlay(to, from string, i int) bool {
	info, err := os.Stat(from)
	if err != nil || !info.IsDir() {
		return false
	}
	upper, work := fmt.Sprintf("%s/upper%d", storeDir, i), fmt.Sprintf("%s/work%d", storeDir, i)
	for _, dir := range []string{upper, work, to} {
		if os.MkdirAll(dir, 0o755) != nil {
			return false
		}
	}
	for _, p := range []string{from, upper, work} {
		for _, c := range p {
			if c == ',' || c == ':' || c == '\\' || c == '=' {
				return false // a path the mount options cannot hold
			}
		}
	}
	opts := "lowerdir=" + from + ",upperdir=" + upper + ",workdir=" + work + ",userxattr"
	return unix.Mount("overlay", to, "overlay", unix.MS_NOSUID|unix.MS_NODEV, opts) == nil
}

// linkTree makes a folder of links to a source that is shown beside it.
func linkTree(to string, m Mount, i int) error {
	inside := filepath.Join(stageDir, strconv.Itoa(i))
	if err := bind(m.Source, newRoot+inside, true); err != nil {
		return err
	}
	return linkAll(to, newRoot+inside, inside)
}
