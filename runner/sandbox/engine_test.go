package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeEngine is a program that takes an engine's arguments and does as told.
func fakeEngine(t *testing.T, text string) (e *engine, calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	script(t, dir, "docker", `echo "$*" | head -n 1 >>`+dir+"/calls\n"+text)
	return &engine{name: Docker, path: filepath.Join(dir, "docker"), known: map[string]bool{}}, func() []string {
		raw, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(raw)), "\n")
	}
}

func TestEngineArguments(t *testing.T) {
	t.Parallel()
	e := &engine{name: Docker}
	c := Cmd{
		Path: "pytest", Args: []string{"-q", Box + "/out"}, Env: []string{"A=b"}, Dir: "tree", Image: "sweb/x:latest",
		Limits: Limits{Wall: time.Minute, CPU: 90 * time.Second, Memory: 1 << 30, Processes: 99, Disk: 5 << 20, OpenFiles: 64},
		Mounts: []Mount{{Source: "/src", Target: "tree", Mode: Copy, Over: "/over"}, {Source: "/o", Target: "out", Mode: Writable}, {Source: "/r", Target: "/opt/r"}},
	}
	args, mark, watched := e.arguments("name", c)
	line := strings.Join(args, " ")
	for _, part := range []string{
		"run --name name -i --network none --cap-drop ALL --security-opt no-new-privileges --pull never",
		"--memory 1073741824 --memory-swap 1073741824 --pids-limit 99", "--ulimit cpu=90 --ulimit nofile=64:64 --ulimit fsize=5242880 --ulimit core=0",
		"--tmpfs /box:rw,exec,nosuid,nodev,mode=1777,size=5242880", "--mount type=bind,source=/o,target=/box/out ", "--mount type=bind,source=/r,target=/opt/r,readonly",
		"source=/src,target=/run/sandbox/0,readonly", "source=/over,target=/run/sandbox/0-over,readonly", "--env A=b", "--env HOME=/box/home",
		"--entrypoint /bin/sh sweb/x:latest -c ", "cp -RP '/run/sandbox/0'/. '/box/tree'/", "cd '/box/tree'", " sandbox pytest -q /box/out",
	} {
		if !strings.Contains(line, part) {
			t.Errorf("%q is not in %s", part, line)
		}
	}
	if strings.Contains(line, "PATH=") || !strings.Contains(line, mark) {
		t.Error(line)
	}
	if d := cmp.Diff([]string{"/o"}, watched); d != "" {
		t.Error(d)
	}
}

// begin does what the script of a container does first.
const begin = `expr "$*" : ".*echo '\\(refused-[0-9a-f]*: \\)'" >&2`

func TestEngineNeverPullsUnasked(t *testing.T) {
	t.Parallel()
	e, calls := fakeEngine(t, `[ "$1 $2" = "image inspect" ] && exit 1; [ "$1" = pull ] && exit 0; [ "$1" = run ] && `+begin+`&& echo ran; exit 0`)
	r, err := e.Run(context.Background(), Cmd{Path: "true", Image: "some/image"})
	if err != nil || r.Cause != Refused || !strings.Contains(r.Detail, "some/image") {
		t.Fatalf("%+v %v", r, err)
	}
	if got := calls(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	e.pull = true
	r, err = e.Run(context.Background(), Cmd{Path: "true", Image: "some/image"})
	if err != nil || !r.OK() || string(r.Stdout) != "ran\n" || r.CPU != nil || len(r.Gaps) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if !slices.ContainsFunc(calls(), func(s string) bool { return strings.HasPrefix(s, "pull some/image") }) {
		t.Errorf("%v", calls())
	}
}

func TestEngineEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       Cause
		fails      bool
	}{
		{"exit", `[ "$1" = run ] && ` + begin + ` && exit 3; exit 0`, Exited, false},
		{"out of memory", `[ "$1" = run ] && ` + begin + ` && exit 137; [ "$1" = inspect ] && echo true; exit 0`, Memory, false},
		{"killed by itself", `[ "$1" = run ] && ` + begin + ` && exit 137; [ "$1" = inspect ] && echo false; exit 0`, Signaled, false},
		{"hangs", `[ "$1" = run ] && ` + begin + ` && exec sleep 60; exit 0`, Time, false},
		{"engine refuses", `[ "$1" = run ] && echo "no such runtime" >&2 && exit 126; exit 0`, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, calls := fakeEngine(t, tt.text)
			r, err := e.Run(context.Background(), Cmd{Path: "true", Image: "i", Limits: Limits{Wall: 300 * time.Millisecond}})
			if (err != nil) != tt.fails || r.Cause != tt.want {
				t.Errorf("%+v %v", r, err)
			}
			if tt.fails && !strings.Contains(err.Error(), "no such runtime") {
				t.Error(err)
			}
			got := calls()
			if last := got[len(got)-1]; !strings.HasPrefix(last, "rm -f plumbline-") {
				t.Errorf("the container is not removed: %v", got)
			}
		})
	}
}

func TestApptainerArguments(t *testing.T) {
	t.Parallel()
	a := &apptainer{}
	args, _, watched := a.arguments(Cmd{
		Path: "pytest", Image: "/images/x.sif", Limits: Limits{}.filled(), Env: []string{"A=b"},
		Mounts: []Mount{{Source: "/src", Target: "tree", Mode: Copy}, {Source: "/o", Target: "out", Mode: Writable}},
	})
	line := strings.Join(args, " ")
	for _, part := range []string{
		"exec --containall --cleanenv --no-home --no-privs --pid --net --network none", "--bind /src:/run/sandbox/0:ro", "--bind /o:/box/out:rw",
		"--env A=b", "/images/x.sif /bin/sh -c ", " sandbox pytest",
	} {
		if !strings.Contains(line, part) {
			t.Errorf("%q is not in %s", part, line)
		}
	}
	if len(watched) != 1 {
		t.Error(watched)
	}
	r, err := a.Run(context.Background(), Cmd{Path: "true", Image: "docker://never/fetched"})
	if err != nil || r.Cause != Refused {
		t.Errorf("%+v %v", r, err)
	}
}

func TestInstanceImages(t *testing.T) {
	t.Parallel()
	got := InstanceImages("Django__django-11099")
	if got[0] != "swebench/sweb.eval.x86_64.django_1776_django-11099:latest" || !slices.Contains(got, "sweb.eval.x86_64.django__django-11099:latest") {
		t.Error(got)
	}
}

// A refusal is known by the mark of its run alone.
func TestRefusal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		exit   int
		stderr string
		ok     bool
	}{{126, "warning\nMARKgone\n", true}, {127, "MARKgone\n", false}, {126, "refused: gone\n", false}} {
		reason, rest, ok := refusal(tt.exit, []byte(tt.stderr), "MARK")
		if ok != tt.ok || ok && (reason != "gone" || string(rest) != "warning\n") {
			t.Errorf("%+v: %q %q %v", tt, reason, rest, ok)
		}
	}
}
