package sandbox_test

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/runner/sandbox"
)

// median in milliseconds: other work on the machine makes single starts far slower.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}

// What a sandbox adds to starting a program. Bare and sandboxed starts take turns,
// because both vary with the load of the machine.
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
				var inside, outside []time.Duration
				for b.Loop() {
					start := time.Now()
					if err := bare(); err != nil {
						b.Fatal(err)
					}
					outside = append(outside, time.Since(start))
					start = time.Now()
					r, err := box.Run(context.Background(), c)
					if err != nil || !r.OK() {
						b.Fatalf("%v %+v", err, r)
					}
					inside = append(inside, time.Since(start))
				}
				in, out := median(inside), median(outside)
				b.ReportMetric(in, "sandboxed-ms")
				b.ReportMetric(out, "bare-ms")
				b.ReportMetric(in/out, "ratio")
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
			var with, without []time.Duration
			for b.Loop() {
				for _, m := range []struct {
					mode sandbox.Mode
					all  *[]time.Duration
				}{{sandbox.ReadOnly, &without}, {sandbox.Copy, &with}} {
					start := time.Now()
					r, err := box.Run(context.Background(), sandbox.Cmd{Path: "true", Mounts: []sandbox.Mount{{Source: dir, Target: "tree", Mode: m.mode}}})
					if err != nil || !r.OK() {
						b.Fatalf("%v %+v", err, r)
					}
					*m.all = append(*m.all, time.Since(start))
				}
			}
			b.ReportMetric(median(with), "copied-ms")
			b.ReportMetric(median(without), "read-only-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
