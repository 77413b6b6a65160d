package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// hierarchy is where this process may make control groups that cap memory and the
// number of processes.
type hierarchy struct {
	version int               // 1 or 2; 0: nowhere
	roots   map[string]string // folder to make groups in, by controller; "" on version 2
	why     string            // why nowhere
}

// findHierarchy reads /proc/self/cgroup and /proc/self/mountinfo, and tries: only
// a group that could be made counts.
func findHierarchy() hierarchy {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return hierarchy{why: "control groups are not there"}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return hierarchy{why: "control groups are not mounted"}
	}
	return chooseHierarchy(string(own), string(mounts))
}

func chooseHierarchy(own, mounts string) hierarchy {
	paths, unified := ownGroups(own)
	v1, v2 := groupMounts(mounts)
	h := hierarchy{version: 1, roots: map[string]string{}}
	for _, c := range []string{"memory", "pids", "cpuacct"} {
		if dir := firstUsable([]string{filepath.Join(v1[c], paths[c]), v1[c]}, v1[c] != ""); dir != "" {
			h.roots[c] = dir
		}
	}
	if h.roots["memory"] != "" && h.roots["pids"] != "" {
		sweepGroups(h.roots)
		return h
	}
	if v2 != "" {
		for _, dir := range slices.Compact([]string{filepath.Join(v2, unified), v2}) {
			if enableControllers(dir) && usable(dir) {
				h := hierarchy{version: 2, roots: map[string]string{"": dir}}
				sweepGroups(h.roots)
				return h
			}
		}
	}
	return hierarchy{why: "no control group may be made here"}
}

// ownGroups reads /proc/self/cgroup: the path in each version 1 controller and in
// version 2.
func ownGroups(text string) (byController map[string]string, unified string) {
	byController = map[string]string{}
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[1] == "" {
			unified = parts[2]
		}
		for _, c := range strings.Split(parts[1], ",") {
			byController[c] = parts[2]
		}
	}
	return byController, unified
}

// groupMounts reads /proc/self/mountinfo: where each version 1 controller and
// version 2 are mounted.
func groupMounts(text string) (v1 map[string]string, v2 string) {
	v1 = map[string]string{}
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(strings.TrimSpace(line), " - ")
		fields, kind := strings.Fields(left), strings.Fields(right)
		if !ok || len(fields) < 6 || len(kind) < 3 {
			continue
		}
		switch kind[0] {
		case "cgroup2":
			v2 = fields[4]
		case "cgroup":
			for _, c := range strings.Split(kind[2], ",") {
				v1[c] = fields[4]
			}
		}
	}
	return v1, v2
}

func firstUsable(dirs []string, mounted bool) string {
	if !mounted {
		return ""
	}
	for _, d := range dirs {
		if usable(d) {
			return d
		}
	}
	return ""
}

// usable makes a group and takes it away again.
func usable(dir string) bool {
	name := filepath.Join(dir, groupName())
	if os.Mkdir(name, 0o755) != nil {
		return false
	}
	return os.Remove(name) == nil
}

// enableControllers lets groups below dir cap memory and processes. A group that
// holds processes may not do so; if this process is alone in it, it moves into a
// group below first, which is what delegation is for.
func enableControllers(dir string) bool {
	file := filepath.Join(dir, "cgroup.subtree_control")
	has := func() bool {
		raw, err := os.ReadFile(file)
		on := strings.Fields(string(raw))
		return err == nil && slices.Contains(on, "memory") && slices.Contains(on, "pids")
	}
	if has() {
		return true
	}
	enable := func() error { return os.WriteFile(file, []byte("+memory +pids"), 0) }
	err := enable()
	if errors.Is(err, syscall.EBUSY) {
		raw, rerr := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		self := strconv.Itoa(os.Getpid())
		leaf := filepath.Join(dir, "plumbline")
		if rerr == nil && strings.TrimSpace(string(raw)) == self && os.MkdirAll(leaf, 0o755) == nil &&
			os.WriteFile(filepath.Join(leaf, "cgroup.procs"), []byte(self), 0) == nil {
			err = enable()
		}
	}
	return err == nil && has()
}

var groupCount atomic.Int64

func groupName() string { return fmt.Sprintf("plumbline-%d-%d", os.Getpid(), groupCount.Add(1)) }

// sweepGroups removes groups that a killed process left behind.
func sweepGroups(roots map[string]string) {
	for _, root := range roots {
		left, err := filepath.Glob(filepath.Join(root, "plumbline-*-*"))
		if err != nil {
			continue
		}
		for _, dir := range left {
			pid := strings.Split(path.Base(dir), "-")[1]
			if _, err := os.Stat("/proc/" + pid); errors.Is(err, os.ErrNotExist) {
				_ = os.Remove(dir) // a group with processes stays; there is nothing to do about it
			}
		}
	}
}

// cgroup is the control group of one run.
type cgroup struct {
	version int
	dirs    map[string]string // by controller; "" on version 2
	limits  Limits
}

// make opens a group with the given limits; nil without an error where none can
// be made at all.
func (h hierarchy) make(l Limits) (*cgroup, error) {
	if h.version == 0 {
		return nil, nil
	}
	g := &cgroup{version: h.version, dirs: map[string]string{}, limits: l}
	name := groupName()
	for c, root := range h.roots {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			g.remove()
			return nil, fmt.Errorf("make a control group: %w", err)
		}
		g.dirs[c] = dir
	}
	memory, processes := strconv.FormatInt(l.Memory, 10), strconv.Itoa(l.Processes)
	var err error
	if g.version == 1 {
		err = errors.Join(g.write("memory", "memory.limit_in_bytes", memory), g.write("pids", "pids.max", processes))
		_ = g.write("memory", "memory.memsw.limit_in_bytes", memory) // not there without swap accounting
	} else {
		err = errors.Join(g.write("", "memory.max", memory), g.write("", "pids.max", processes))
		_ = g.write("", "memory.swap.max", "0")
		_ = g.write("", "memory.oom.group", "1")
	}
	if err != nil {
		g.remove()
		return nil, fmt.Errorf("limit a control group: %w", err)
	}
	return g, nil
}

func (g *cgroup) dir(controller string) string {
	if g.version == 2 {
		return g.dirs[""]
	}
	return g.dirs[controller]
}

func (g *cgroup) write(controller, file, value string) error {
	return os.WriteFile(filepath.Join(g.dir(controller), file), []byte(value), 0)
}

// add puts a process into the group; its children follow.
func (g *cgroup) add(pid int) error {
	for _, dir := range g.dirs {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			return fmt.Errorf("put a process into its control group: %w", err)
		}
	}
	return nil
}

// number reads a file that is a number, or the number after key in a file of
// "key number" lines.
func (g *cgroup) number(controller, file, key string) (int64, bool) {
	if g.dir(controller) == "" {
		return 0, false
	}
	raw, err := os.ReadFile(filepath.Join(g.dir(controller), file))
	if err != nil {
		return 0, false
	}
	if key == "" {
		n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
		return n, err == nil
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == key {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

func (g *cgroup) hit() *limitHit {
	events := "memory.oom_control"
	if g.version == 2 {
		events = "memory.events"
	}
	if n, ok := g.number("memory", events, "oom_kill"); ok && n > 0 {
		return &limitHit{Memory, fmt.Sprintf("all processes together used more than %d MiB", g.limits.Memory>>20)}
	}
	if n, ok := g.number("pids", "pids.events", "max"); ok && n > 0 {
		return &limitHit{Processes, fmt.Sprintf("it tried to have more than %d processes and threads", g.limits.Processes)}
	}
	if cpu, _ := g.usage(); cpu != nil && *cpu > g.limits.CPU {
		return &limitHit{Time, fmt.Sprintf("all processes together used more than %v of processor time", g.limits.CPU)}
	}
	return nil
}

func (g *cgroup) usage() (cpu *time.Duration, peak *int64) {
	if g.version == 1 {
		if n, ok := g.number("cpuacct", "cpuacct.usage", ""); ok {
			d := time.Duration(n)
			cpu = &d
		}
		if n, ok := g.number("memory", "memory.max_usage_in_bytes", ""); ok {
			peak = &n
		}
		return cpu, peak
	}
	if n, ok := g.number("", "cpu.stat", "usage_usec"); ok {
		d := time.Duration(n) * time.Microsecond
		cpu = &d
	}
	if n, ok := g.number("", "memory.peak", ""); ok {
		peak = &n
	}
	return cpu, peak
}

func (g *cgroup) kill() {
	if g.version == 2 && g.write("", "cgroup.kill", "1") == nil {
		return
	}
	raw, err := os.ReadFile(filepath.Join(g.dir("pids"), "cgroup.procs"))
	if err != nil {
		return
	}
	for _, f := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(f); err == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone already
		}
	}
}

// remove takes the group away. A process that was killed a moment ago may still
// be in it, so it is tried for a while; what is left is swept at the next start.
func (g *cgroup) remove() {
	for _, dir := range g.dirs {
		for range 50 {
			if err := os.Remove(dir); !errors.Is(err, syscall.EBUSY) {
				break
			}
			g.kill()
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// gaps says what is not enforced without a control group.
func (h hierarchy) gaps() []string {
	if h.version != 0 {
		return nil
	}
	g := []string{"memory is limited for each process by itself and not for all together: " + h.why}
	if os.Getuid() == 0 {
		return append(g, "the number of processes is not limited: "+h.why)
	}
	return g
}
