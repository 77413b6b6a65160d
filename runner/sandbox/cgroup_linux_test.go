package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupsAreFound(t *testing.T) {
	t.Parallel()
	paths, unified := ownGroups("12:cpu,cpuacct:/user\n8:pids:/\n4:memory:/a/b\n0::/user.slice/x.scope\n")
	if d := cmp.Diff(map[string]string{"cpu": "/user", "cpuacct": "/user", "pids": "/", "memory": "/a/b", "": "/user.slice/x.scope"}, paths); d != "" {
		t.Error(d)
	}
	if unified != "/user.slice/x.scope" {
		t.Error(unified)
	}
	v1, v2 := groupMounts(`26 20 0:24 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
27 20 0:25 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
28 20 0:26 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate
29 20 0:27 / / rw - ext4 /dev/vda rw
`)
	if v1["memory"] != "/sys/fs/cgroup/memory" || v1["cpuacct"] != "/sys/fs/cgroup/cpu,cpuacct" || v2 != "/sys/fs/cgroup/unified" {
		t.Errorf("%v %q", v1, v2)
	}
}

// fakeV2 is a folder that looks like version 2 of control groups.
func fakeV2(t *testing.T, controllers string) (dir string, mounts string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte(controllers), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, "28 20 0:26 / " + dir + " rw,relatime - cgroup2 cgroup2 rw\n"
}

func TestVersion2(t *testing.T) {
	t.Parallel()
	dir, mounts := fakeV2(t, "cpu memory pids")
	h := chooseHierarchy("0::/\n", mounts)
	if h.version != 2 || h.roots[""] != dir || h.gaps() != nil {
		t.Fatalf("%+v", h)
	}
	g, err := h.make(Limits{}.filled())
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(g.dir("memory"), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if read("memory.max") != "2147483648" || read("pids.max") != "256" || read("memory.oom.group") != "1" || read("memory.swap.max") != "0" {
		t.Error("the limits are not written")
	}
	if err := g.add(77); err != nil || read("cgroup.procs") != "77" {
		t.Error("the process is not in the group", err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(g.dir(""), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("memory.events", "low 0\nmax 9\noom 0\noom_kill 0\n")
	write("pids.events", "max 0\n")
	write("cpu.stat", "usage_usec 1500\nuser_usec 1000\n")
	write("memory.peak", "4096\n")
	if h := g.hit(); h != nil {
		t.Errorf("no limit was hit: %v", h)
	}
	cpu, peak := g.usage()
	if cpu == nil || cpu.Microseconds() != 1500 || peak == nil || *peak != 4096 {
		t.Errorf("%v %v", cpu, peak)
	}
	write("pids.events", "max 3\n")
	if h := g.hit(); h == nil || h.cause != Processes {
		t.Errorf("%v", h)
	}
	write("memory.events", "oom_kill 1\n")
	if h := g.hit(); h == nil || h.cause != Memory {
		t.Errorf("%v", h)
	}
	g.kill()
	if read("cgroup.kill") != "1" {
		t.Error("the group is not killed as one")
	}
}

func TestNoGroups(t *testing.T) {
	t.Parallel()
	_, mounts := fakeV2(t, "cpu")
	// A plain folder takes what is written to it, so that reading it back does not
	// name both controllers.
	for _, text := range []string{"", "29 20 0:27 / / rw - ext4 /dev/vda rw\n", strings.Replace(mounts, "cgroup2 cgroup2", "other other", 1)} {
		h := chooseHierarchy("0::/\n", text)
		if h.version != 0 || len(h.gaps()) == 0 {
			t.Errorf("%+v", h)
		}
		g, err := h.make(Limits{}.filled())
		if g != nil || err != nil {
			t.Errorf("%v %v", g, err)
		}
	}
}

// A group that a killed process left is taken away, one of a live process stays.
func TestLeftGroupsAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"plumbline-999999999-1", "plumbline-1-4", "other-999999999-1"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweepGroups(map[string]string{"": dir})
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if d := cmp.Diff([]string{"other-999999999-1", "plumbline-1-4"}, left); d != "" {
		t.Error(d)
	}
}
