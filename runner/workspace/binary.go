package workspace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"plumbline/experiments/patch"
)

// binaries applies the binary parts of a patch, which are read only if there are
// any.
type binaries struct {
	text  string
	read  bool
	files map[string]*gitdiff.File
	err   error
}

func (b *binaries) apply(f *patch.File, old []byte) (out []byte, reason string) {
	if !f.BinaryData {
		if f.Kind == patch.Deleted {
			return nil, ""
		}
		return nil, "it is binary, and the patch does not hold its content"
	}
	if !b.read {
		b.read, b.files = true, map[string]*gitdiff.File{}
		var all []*gitdiff.File
		all, _, b.err = gitdiff.Parse(strings.NewReader(b.text))
		for _, x := range all {
			name := x.NewName
			if x.IsDelete {
				name = x.OldName
			}
			b.files[name] = x
		}
	}
	if b.err != nil {
		return nil, fmt.Sprintf("its binary content cannot be read: %v", b.err)
	}
	x := b.files[f.Path()]
	if x == nil {
		return nil, "its binary content cannot be found in the patch"
	}
	var buf bytes.Buffer
	if err := gitdiff.Apply(&buf, bytes.NewReader(old), x); err != nil {
		return nil, fmt.Sprintf("its binary content does not fit: %v", err)
	}
	return buf.Bytes(), ""
}
