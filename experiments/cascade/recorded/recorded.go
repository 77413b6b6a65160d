package recorded

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"

	"plumbline/experiments/bundled"
)

//go:embed replies/*.txtar
var archives embed.FS

// Name is how recorded replies are called where a generator's name stands.
const Name = "recorded replies"

type replies struct {
	attempts map[string]string // patch → folder of the attempt
	files    map[string]string
}

var load = sync.OnceValues(func() (map[string]replies, error) {
	cases, err := bundled.Cases()
	if err != nil {
		return nil, fmt.Errorf("read the bundled cases: %w", err)
	}
	out := map[string]replies{}
	for _, c := range cases {
		raw, err := archives.ReadFile("replies/" + c.File)
		if err != nil {
			continue // a case without replies
		}
		r := replies{attempts: map[string]string{}, files: map[string]string{}}
		for _, a := range c.Attempts {
			r.attempts[a.Trace.Patch] = a.Name
		}
		for _, f := range txtar.Parse(raw).Files {
			if path.Ext(f.Name) != ".md" || r.files[f.Name] != "" {
				return nil, fmt.Errorf("recorded replies of %s: file %q has no place or is there twice", c.File, f.Name)
			}
			r.files[f.Name] = string(f.Data)
		}
		out[c.Instance.ID] = r
	}
	return out, nil
})

// Reply is the reply to attempt n, from 1, for a patch at an instance; false when
// none was recorded. An attempt with replies of its own has no others.
func Reply(instance, patch string, n int) (string, bool, error) {
	all, err := load()
	if err != nil {
		return "", false, err
	}
	r, ok := all[instance]
	if !ok {
		return "", false, nil
	}
	name := fmt.Sprintf("%d.md", n)
	if folder := r.attempts[patch]; folder != "" && r.has(folder) {
		text, ok := r.files[folder+"/"+name]
		return text, ok, nil
	}
	text, ok := r.files[name]
	return text, ok, nil
}

func (r replies) has(folder string) bool {
	for name := range r.files {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

// Instances lists the instances that have replies.
func Instances() ([]string, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	var out []string
	for id := range all {
		out = append(out, id)
	}
	return out, nil
}
