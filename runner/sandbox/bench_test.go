package sandbox_test

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"plumbline/runner/sandbox"
)

// What a sandbox adds to starting a program. The ratio to a bare start is taken
// in the same run, because both vary with the load of the machine.
func BenchmarkOverhead(b *testing.B) {
	programs := []struct {
		name string
		path string
		args []string
	}{
		{"true", "true", nil},
		{"python", "/usr/bin/python3", []string{"-S", "-c", "pass"}},
		{"unittest", "/usr/bin/python3", []string{"-c", "import unittest"}},
	}
	for _, p := range programs {
		bare := func() error { return exec.Command(p.path, p.args...).Run() }
		for _, name := range []string{sandbox.Bubblewrap, sandbox.Namespaces, sandbox.None} {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				box := open(b, name)
				c := sandbox.Cmd{Path: p.path, Args: p.args}
				var inside, outside time.Duration
				for b.Loop() {
					start := time.Now()
					if err := bare(); err != nil {
						b.Fatal(err)
					}
					outside += time.Since(start)
					start = time.Now()
					r, err := box.Run(context.Background(), c)
					if err != nil || !r.OK() {
						b.Fatalf("%v %+v", err, r)
					}
					inside += time.Since(start)
				}
				n := float64(b.N)
				b.ReportMetric(float64(inside.Microseconds())/n/1000, "sandboxed-ms")
				b.ReportMetric(float64(outside.Microseconds())/n/1000, "bare-ms")
				b.ReportMetric(float64(inside)/float64(outside), "ratio")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// What a private copy of a tree of 2,000 files adds to a run.
func BenchmarkCopy(b *testing.B) {
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("pkg%d/file%d.py", i/50, i)] = strings.Repeat("x = 1\n", 500)
	}
	dir := tree(b, files)
	for _, name := range []string{sandbox.Bubblewrap, sandbox.Namespaces, sandbox.None} {
		b.Run(name, func(b *testing.B) {
			box := open(b, name)
			var with, without time.Duration
			for b.Loop() {
				for _, m := range []struct {
					mode sandbox.Mode
					sum  *time.Duration
				}{{sandbox.ReadOnly, &without}, {sandbox.Copy, &with}} {
					start := time.Now()
					r, err := box.Run(context.Background(), sandbox.Cmd{Path: "true", Mounts: []sandbox.Mount{{Source: dir, Target: "tree", Mode: m.mode}}})
					if err != nil || !r.OK() {
						b.Fatalf("%v %+v", err, r)
					}
					*m.sum += time.Since(start)
				}
			}
			n := float64(b.N)
			b.ReportMetric(float64(with.Microseconds())/n/1000, "copied-ms")
			b.ReportMetric(float64(without.Microseconds())/n/1000, "read-only-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
