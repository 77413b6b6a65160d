package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/runner/sandbox"
)

// A copy is private on every backend; in namespaces it costs only what is changed,
// where the kernel lays file systems over each other.
func TestCopyOnWrite(t *testing.T) {
	t.Parallel()
	all := sandbox.Survey(context.Background())
	if len(all) != 2 || all[0].Name != sandbox.Bubblewrap || all[1].Name != sandbox.Namespaces {
		t.Fatalf("%+v", all)
	}
	autos := 0
	for _, s := range all {
		if !s.Works && s.Problem == "" {
			t.Errorf("%s does not work and does not say why", s.Name)
		}
		if s.Auto {
			autos++
		}
	}
	if autos > 1 {
		t.Errorf("%d backends are the default: %+v", autos, all)
	}
	b := open(t, sandbox.Namespaces)
	if !all[1].CopyOnWrite {
		need(t, "this kernel lays no file systems over each other in a user namespace")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, 8<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	c := sh(`rm tree/large && echo mine >tree/large && cat tree/large && head -c 3000000 /dev/zero >tree/more`)
	c.Mounts = []sandbox.Mount{{Source: dir, Target: "tree", Mode: sandbox.Copy}}
	c.Limits.Disk = 2 << 20
	r := run(t, b, c)
	if string(r.Stdout) != "mine\n" || r.OK() || !strings.Contains(string(r.Stderr), "No space left") {
		t.Errorf("what is changed is not counted, or what is not is: %v", shown(r))
	}
	if info, err := os.Stat(filepath.Join(dir, "large")); err != nil || info.Size() != 8<<20 {
		t.Errorf("the base was changed: %v %v", info, err)
	}
}
