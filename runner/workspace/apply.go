package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"plumbline/experiments/patch"
)

// ApplyOptions say how far an application may go beyond git apply.
type ApplyOptions struct {
	// Fuzz is how many lines of context at each end of a hunk may differ, as in
	// patch --fuzz. Only a patch that git apply would refuse is tried so. With 0
	// nothing but git apply counts.
	Fuzz int
}

// ApplyReport says what became of a patch.
type ApplyReport struct {
	Applied bool `json:"applied"`
	// Exact is true if git apply would take the patch as it is.
	Exact  bool         `json:"exact"`
	Fuzz   int          `json:"fuzz,omitempty"` // most lines of context that were ignored
	Reason string       `json:"reason,omitempty"`
	Files  []FileReport `json:"files"`
}

// FileReport is one file of a patch.
type FileReport struct {
	Path   string       `json:"path"`
	Kind   patch.Kind   `json:"kind"`
	Reason string       `json:"reason,omitempty"` // why the file was refused as a whole
	Note   string       `json:"note,omitempty"`
	Hunks  []HunkReport `json:"hunks,omitempty"`
}

// HunkReport is one hunk. Line is where it was applied, in the file before it.
type HunkReport struct {
	Header  string `json:"header"`
	Applied bool   `json:"applied"`
	Line    int    `json:"line,omitempty"`
	Offset  int    `json:"offset,omitempty"` // lines off from what the header says
	Fuzz    int    `json:"fuzz,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Rejected lists, one a line, what was refused and why.
func (r ApplyReport) Rejected() []string {
	var out []string
	if r.Reason != "" {
		out = append(out, r.Reason)
	}
	for _, f := range r.Files {
		if f.Reason != "" {
			out = append(out, f.Path+": "+f.Reason)
		}
		for _, h := range f.Hunks {
			if !h.Applied && h.Reason != "" {
				out = append(out, f.Path+": "+h.Header+": "+h.Reason)
			}
		}
	}
	return out
}

// Apply changes the tree by a patch, as a whole or not at all. What git apply
// takes is applied as it does: context must match, and may stand at other lines.
// Prose and fences around the patch are left out, as patch.Clean does.
func (t *Tree) Apply(text string, o ApplyOptions) ApplyReport {
	clean := patch.Clean(text)
	d := patch.Parse(clean)
	if len(d.Files) == 0 {
		return ApplyReport{Reason: "there is no diff in the text", Files: []FileReport{}}
	}
	crlf := d.CRLF || patch.Parse(text).CRLF
	strict := t.try(d, clean, placing{crlf: crlf})
	if strict.Applied || o.Fuzz <= 0 {
		strict.Exact = strict.Applied
		return strict
	}
	loose := t.try(d, clean, placing{crlf: crlf, fuzz: o.Fuzz, recount: !d.Truncated})
	if loose.Applied {
		if why := strict.Rejected(); len(why) > 0 {
			loose.Reason = "git apply would refuse it: " + why[0]
		}
		return loose
	}
	return strict
}

// placing says how hunks may be placed.
type placing struct {
	crlf    bool // the patch had CRLF line ends throughout, which may be the mail's or the file's
	fuzz    int
	recount bool // hunks may have other lengths than their headers say
}

// try applies the patch to a clone and takes the clone's changes if all went well.
func (t *Tree) try(d patch.Diff, text string, p placing) ApplyReport {
	work := t.Clone()
	rep := ApplyReport{Applied: true, Files: make([]FileReport, len(d.Files))}
	binary := binaries{text: text}
	for i := range d.Files {
		f := work.applyFile(&d.Files[i], &binary, p)
		rep.Files[i] = f
		if f.Reason != "" {
			rep.Applied = false
		}
		for _, h := range f.Hunks {
			rep.Applied = rep.Applied && h.Applied
			rep.Fuzz = max(rep.Fuzz, h.Fuzz)
		}
	}
	if rep.Applied {
		t.changed = work.changed
	}
	return rep
}

func (t *Tree) applyFile(f *patch.File, b *binaries, p placing) FileReport {
	rep := FileReport{Path: f.Path(), Kind: f.Kind}
	if f.Submodule {
		rep.Note = "a change of a submodule has no content here"
		return rep
	}
	old, reason := t.preimage(f)
	if reason != "" {
		rep.Reason = reason
		return rep
	}
	var out []byte
	if f.Binary {
		if out, reason = b.apply(f, old.Data); reason != "" {
			rep.Reason = reason
			return rep
		}
	} else {
		var ok bool
		if out, rep.Hunks, ok = applyHunks(old.Data, f.Hunks, p); !ok {
			return rep
		}
	}
	rep.Reason = t.put(f, old, out)
	return rep
}

// preimage loads what a file of the patch changes and refuses what cannot be
// changed so.
func (t *Tree) preimage(f *patch.File) (File, string) {
	for _, name := range []string{f.Old, f.New} {
		if name == "" {
			continue
		}
		if err := checkPath(name); err != nil {
			return File{}, err.Error()
		}
		if link := t.linkAbove(name); link != "" {
			return File{}, fmt.Sprintf("it lies beyond the symbolic link %s", link)
		}
	}
	if f.Kind == patch.Added {
		if f.New == "" {
			return File{}, "the patch does not name the file"
		}
		if t.Has(f.New) || t.HasDir(f.New) {
			return File{}, "the patch adds it, and it is there already"
		}
		return File{}, ""
	}
	if f.Old == "" {
		return File{}, "the patch does not name the file"
	}
	if (f.Kind == patch.Renamed || f.Kind == patch.Copied) && t.Has(f.New) && f.New != f.Old {
		return File{}, fmt.Sprintf("the patch makes %s, and it is there already", f.New)
	}
	old, err := t.Read(f.Old)
	if errors.Is(err, fs.ErrNotExist) && !f.GitHeader && len(f.Hunks) == 1 && f.Hunks[0].OldStart == 0 && f.Hunks[0].OldLines == 0 {
		return File{}, "" // a plain diff that makes a file without saying so
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, fmt.Sprintf("the patch changes %s, and it is not there", f.Old)
	case err != nil:
		return File{}, err.Error()
	}
	if link := old.Mode&fs.ModeSymlink != 0; link != (f.OldMode == "120000") && (link || f.OldMode != "") {
		return File{}, "what is there is of another kind than the patch says"
	}
	return old, ""
}

// linkAbove returns the symbolic link, or file, that stands where the path needs a
// folder.
func (t *Tree) linkAbove(name string) string {
	for p := path.Dir(name); p != "."; p = path.Dir(p) {
		if t.Has(p) {
			return p
		}
	}
	return ""
}

// put writes the outcome for one file.
func (t *Tree) put(f *patch.File, old File, out []byte) string {
	if f.Kind == patch.Deleted {
		if len(out) > 0 {
			return "the patch deletes it, and it holds more than the patch says"
		}
		t.changed[f.Old] = nil
		return ""
	}
	mode := old.Mode
	switch {
	case f.NewMode != "":
		mode = gitMode(f.NewMode)
	case mode == 0:
		mode = 0o644
	}
	if f.Kind == patch.Renamed {
		t.changed[f.Old] = nil
	}
	name := f.New
	if name == "" {
		name = f.Old
	}
	if mode&fs.ModeSymlink != 0 && (len(out) == 0 || strings.ContainsRune(string(out), 0)) {
		return "a symbolic link needs a target"
	}
	t.changed[name] = &File{Data: out, Mode: mode}
	return ""
}
