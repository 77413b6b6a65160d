package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumbline/runner/sandbox"
)

// Programs that mean harm, on every backend that should stop them.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sandbox.Bubblewrap, sandbox.Namespaces} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, name)
			for name, f := range hostile {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f(t, b)
				})
			}
		})
	}
}

func python(text string) sandbox.Cmd { return sandbox.Cmd{Path: "python3", Args: []string{"-c", text}} }

// together skips a test of a cap on all processes where none can be set.
func together(t *testing.T, b sandbox.Backend) {
	t.Helper()
	if gaps := run(t, b, sh("true")).Gaps; len(gaps) > 0 {
		need(t, strings.Join(gaps, "; "))
	}
}

// token is a word that only the processes of one test have on their command line.
func token() string { return fmt.Sprintf("plumbline-token-%016x", rand.Uint64()) }

// alive counts processes of the host with a token, waiting a moment for those
// that are ending.
func alive(t *testing.T, token string) int {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		n := 0
		dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range dirs {
			if raw, err := os.ReadFile(p); err == nil && strings.Contains(string(raw), token) {
				n++
			}
		}
		if n == 0 || time.Now().After(end) {
			return n
		}
	}
}

var hostile = map[string]func(t *testing.T, b sandbox.Backend){
	"fork bomb": func(t *testing.T, b sandbox.Backend) {
		together(t, b)
		mark := token()
		c := sh(`b() { b "$1" | b "$1" & }; b ` + mark + `; sleep 60`)
		c.Limits = sandbox.Limits{Wall: 20 * time.Second, Processes: 40}
		r := run(t, b, c)
		if r.Cause != sandbox.Processes || r.Wall > 15*time.Second {
			t.Errorf("%s %s after %v", r.Cause, r.Detail, r.Wall)
		}
		if n := alive(t, mark); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	},
	"memory hog": func(t *testing.T, b sandbox.Backend) {
		together(t, b)
		c := python("x = []\nwhile True: x.append(bytearray(1 << 20))")
		c.Limits = sandbox.Limits{Wall: 20 * time.Second, Memory: 64 << 20}
		r := run(t, b, c)
		if r.Cause != sandbox.Memory || r.MaxRSS == nil || *r.MaxRSS > 80<<20 {
			t.Errorf("%s %s", r.Cause, r.Detail)
		}
	},
	"memory hog that lets a child die for it": func(t *testing.T, b sandbox.Backend) {
		together(t, b)
		c := sh(`python3 -c 'x = bytearray(200 << 20)'; sleep 60`)
		c.Limits = sandbox.Limits{Wall: 20 * time.Second, Memory: 64 << 20}
		if r := run(t, b, c); r.Cause != sandbox.Memory || r.Wall > 15*time.Second {
			t.Errorf("%s %s after %v", r.Cause, r.Detail, r.Wall)
		}
	},
	"processor hog in many processes": func(t *testing.T, b sandbox.Backend) {
		together(t, b)
		c := sh(`for i in 1 2 3 4; do (while :; do :; done) & done; wait`)
		c.Limits = sandbox.Limits{Wall: 20 * time.Second, CPU: 300 * time.Millisecond}
		if r := run(t, b, c); r.Cause != sandbox.Time || !strings.Contains(r.Detail, "processor") {
			t.Errorf("%s %s", r.Cause, r.Detail)
		}
	},
	"disk filler in the box": func(t *testing.T, b sandbox.Backend) {
		for _, dir := range []string{"$HOME", "/tmp", "/dev/shm"} {
			c := sh(`i=0; while [ $i -lt 9 ]; do head -c 1000000 /dev/zero >` + dir + `/f$i || exit 9; i=$((i+1)); done`)
			c.Limits.Disk = 4 << 20
			if r := run(t, b, c); r.Exit != 9 || !strings.Contains(string(r.Stderr), "No space left") {
				t.Errorf("%s: %v", dir, shown(r))
			}
		}
	},
	"disk filler in a writable mount": func(t *testing.T, b sandbox.Backend) {
		c := sh(`i=0; while :; do head -c 1000000 /dev/zero >out/f$i; i=$((i+1)); done`)
		c.Mounts = []sandbox.Mount{{Source: t.TempDir(), Target: "out", Mode: sandbox.Writable}}
		c.Limits = sandbox.Limits{Disk: 4 << 20, Wall: 20 * time.Second}
		if r := run(t, b, c); r.Cause != sandbox.Output {
			t.Errorf("%s %s", r.Cause, r.Detail)
		}
	},
	"one huge file": func(t *testing.T, b sandbox.Backend) {
		c := sh(`exec head -c 1000000000 /dev/zero >out/f`)
		c.Mounts = []sandbox.Mount{{Source: t.TempDir(), Target: "out", Mode: sandbox.Writable}}
		c.Limits = sandbox.Limits{Disk: 4 << 20, Wall: 20 * time.Second}
		if r := run(t, b, c); r.Cause != sandbox.Output {
			t.Errorf("%s %s", r.Cause, r.Detail)
		}
	},
	"ignores every signal": func(t *testing.T, b sandbox.Backend) {
		mark := token()
		c := python("import signal, time\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\nprint('deaf', flush=True)\nwhile True: time.sleep(1)  # " + mark)
		c.Limits.Wall = time.Second
		r := run(t, b, c)
		if r.Cause != sandbox.Time || string(r.Stdout) != "deaf\n" {
			t.Errorf("%s %q", r.Cause, r.Stdout)
		}
		if n := alive(t, mark); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	},
	"daemon": func(t *testing.T, b sandbox.Backend) {
		mark := token()
		// The middle process ends at once, the daemon has a session of its own and
		// holds no stream.
		r := run(t, b, sh(`(setsid sh -c 'sleep 300; : `+mark+`' >/dev/null 2>&1 </dev/null &) & wait; sleep 0.1; ps ax | grep -c `+mark))
		if !r.OK() || strings.TrimSpace(string(r.Stdout)) == "0" {
			t.Fatalf("no daemon was started: %v", shown(r))
		}
		if n := alive(t, mark); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	},
	"daemon that holds the output": func(t *testing.T, b sandbox.Backend) {
		r := run(t, b, sh(`(setsid sleep 300 &) & echo done`))
		if !r.OK() || string(r.Stdout) != "done\n" || r.Wall > 15*time.Second {
			t.Errorf("%v", shown(r))
		}
	},
	"kills the first process": func(t *testing.T, b sandbox.Backend) {
		if r := run(t, b, sh(`kill -9 1; kill -9 -1; echo alive`)); r.Cause != sandbox.Exited && r.Cause != sandbox.Signaled {
			t.Errorf("%v", shown(r))
		}
	},
	"reads homes and environments": func(t *testing.T, b sandbox.Backend) {
		secret := token()
		dir := tree(t, map[string]string{"secret": secret})
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, b, sh(fmt.Sprintf(`cat %s/secret; ls -A %s /home /root /var /mnt /media /srv /boot /sys; cat /etc/shadow /proc/*/environ /proc/[0-9]*/cmdline; ls /proc | grep -c '^[0-9]'`, dir, home)))
		out := string(r.Stdout)
		if strings.Contains(out, secret) || strings.Contains(out, "root:$") {
			t.Errorf("it reads %q", out)
		}
		for _, p := range []string{home, "/home", "/var", "/sys", "/etc/shadow"} {
			if !strings.Contains(string(r.Stderr), p+"'") && !strings.Contains(string(r.Stderr), p+":") {
				t.Errorf("%s is there: %s", p, r.Stderr)
			}
		}
		for _, e := range os.Environ() {
			name, value, _ := strings.Cut(e, "=")
			if len(value) > 8 && name != "PATH" && name != "LANG" && name != "LC_ALL" && strings.Contains(out, name+"="+value) {
				t.Errorf("it sees the variable %s", name)
			}
		}
	},
	"opens sockets": func(t *testing.T, b sandbox.Backend) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		name := "@" + token()
		u, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		defer u.Close()
		c := python(`
import socket, sys
def attempt(what, f):
    try:
        f()
        print(what, "works")
    except OSError as e:
        print(what, "fails")
port, name = int(sys.argv[1]), sys.argv[2]
attempt("host", lambda: socket.create_connection(("127.0.0.1", port), 2))
attempt("abroad", lambda: socket.create_connection(("192.0.2.1", 80), 2))
attempt("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\0" + name[1:]))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
def own():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
    socket.create_connection(s.getsockname(), 2)
attempt("own", own)
`)
		c.Args = append(c.Args, fmt.Sprint(l.Addr().(*net.TCPAddr).Port), name)
		r := run(t, b, c)
		want := "host fails\nabroad fails\ndatagram fails\nabstract fails\nraw fails\npacket fails\nvsock fails\nown works\n"
		if string(r.Stdout) != want {
			t.Errorf("%s%s", r.Stdout, r.Stderr)
		}
	},
	"links out": func(t *testing.T, b sandbox.Backend) {
		secret := token()
		dir, out := tree(t, map[string]string{"secret": secret}), t.TempDir()
		c := sh(fmt.Sprintf(`ln -s %s out/dir; ln -s %s/secret out/file; ln -s /dev/zero out/zero; mkfifo out/pipe; ln -s . out/loop; mkdir out/d; echo good >out/d/plain; ln -s plain out/d/inner; cat out/file out/dir/secret`, dir, dir))
		c.Mounts = []sandbox.Mount{{Source: out, Target: "out", Mode: sandbox.Writable}}
		if r := run(t, b, c); strings.Contains(string(r.Stdout), secret) {
			t.Errorf("%v", shown(r))
		}
		for _, name := range []string{"file", "dir/secret", "zero", "pipe", "loop/d/plain", "d/inner", "d", "missing"} {
			if got, _, err := sandbox.ReadLeft(out, name, 100); err == nil {
				t.Errorf("%s was read: %q", name, got)
			}
		}
		if _, _, err := sandbox.ReadLeft(out, "../x", 100); err == nil {
			t.Error("a path out was read")
		}
		got, cut, err := sandbox.ReadLeft(out, "d/plain", 3)
		if err != nil || string(got) != "goo" || !cut {
			t.Errorf("%q %v %v", got, cut, err)
		}
	},
	"changes the kernel and the system": func(t *testing.T, b sandbox.Backend) {
		r := run(t, b, sh(`
v=$(cat /proc/sys/vm/swappiness); (echo $v >/proc/sys/vm/swappiness) 2>/dev/null && echo sysctl
(echo x >/usr/bin/true) 2>/dev/null && echo usr
(echo x >/etc/passwd) 2>/dev/null && echo etc
mount -t tmpfs x /tmp 2>/dev/null && echo mount
mount -o remount,rw / 2>/dev/null && echo remount
umount /proc 2>/dev/null && echo umount
unshare -U true 2>/dev/null && echo userns
unshare -n true 2>/dev/null && echo netns
hostname other 2>/dev/null && echo hostname
mknod /tmp/disk b 254 0 2>/dev/null && echo mknod
chroot / true 2>/dev/null && echo chroot
cat /proc/1/mem >/dev/null 2>&1 && echo mem
ls /dev/vda /dev/sda /dev/kmsg /dev/mem 2>/dev/null && echo device
[ "$(id -u)" = 0 ] && echo root
echo end`))
		if string(r.Stdout) != "end\n" {
			t.Errorf("it can: %s%s", r.Stdout, r.Stderr)
		}
	},
	"asks the kernel for what is filtered": func(t *testing.T, b sandbox.Backend) {
		r := run(t, b, python(`
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(name, want, *args):
    ctypes.set_errno(0)
    got = libc.syscall(*args)
    if got != -1 or ctypes.get_errno() != want:
        print(name, got, errno.errorcode.get(ctypes.get_errno()))
import platform
nr = {"x86_64": dict(bpf=321, keyctl=250, io_uring=425, userfaultfd=323, perf=298, clone3=435, unshare=272, clone=56),
      "aarch64": dict(bpf=280, keyctl=219, io_uring=425, userfaultfd=282, perf=241, clone3=435, unshare=97, clone=220)}[platform.machine()]
for name in ("bpf", "keyctl", "io_uring", "userfaultfd", "perf", "unshare"):
    call(name, errno.EPERM, nr[name], 0, 0, 0, 0, 0)
call("clone3", errno.ENOSYS, nr["clone3"], 0, 0)
call("clone", errno.EPERM, nr["clone"], 0x10000000 | 17, 0, 0, 0, 0)
print("end")
`))
		if string(r.Stdout) != "end\n" {
			t.Errorf("%s%s", r.Stdout, r.Stderr)
		}
	},
	"a stop by the caller leaves nothing": func(t *testing.T, b sandbox.Backend) {
		mark := token()
		ctx, stop := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer stop()
		_, err := b.Run(ctx, sh(`setsid sh -c 'sleep 300; : `+mark+`' & wait`))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if n := alive(t, mark); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	},
}
