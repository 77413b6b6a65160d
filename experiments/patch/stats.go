package patch

import (
	"strings"

	"plumbline/experiments/trace"
)

// State says what stands where a patch was expected, for text that is there.
// Null and absent patches are known to the reader of the record only. A text
// counts as a diff when it has a ---/+++ pair or a "diff --git" line (a pure
// rename, a mode change and a binary file have no pair).
func State(raw string) trace.PatchState {
	switch {
	case raw == "":
		return trace.PatchEmpty
	case strings.TrimSpace(raw) == "":
		return trace.PatchBlank
	case hasHeader(raw):
		return trace.PatchText
	}
	return trace.PatchNoDiffFound
}

// Statistics are the countable facts of a patch as submitted.
type Statistics struct {
	// Files are the paths of the file headers in order, repeated if the patch
	// repeats them: the new path, or the old one of a deleted file.
	Files []string
	// Added and Removed count lines inside hunks. Nil when the lengths in a hunk
	// header do not match the text, or when lines outside the hunks look like
	// changes, because then the end of a hunk is a guess.
	Added, Removed *int
	// Kinds are marks for peculiarities, in the order of the Kind… constants.
	Kinds []string
}

// Marks of Statistics.Kinds.
const (
	KindRename       = "rename"
	KindNewFile      = "new_file"
	KindDeletedFile  = "deleted_file"
	KindBinary       = "binary"
	KindSubmodule    = "submodule"
	KindSymlink      = "symlink"
	KindNoNewline    = "no_newline_marker"
	KindCRLF         = "crlf"
	KindNUL          = "nul"
	KindFence        = "markdown_fence"
	KindNoGitHeader  = "no_git_header"
	KindHunkLength   = "hunk_length_mismatch"
	KindNotGitFirst  = "does_not_start_with_diff_git"
	KindNoFinalBreak = "no_final_newline"
)

// Stats counts files and changed lines of raw and marks what is unusual. For a
// text without a diff it gives no files and zero lines.
func Stats(raw string) Statistics { return StatsOf(raw, Parse(raw)) }

// StatsOf is Stats for a text that was parsed already.
func StatsOf(raw string, d Diff) Statistics {
	s := Statistics{Files: []string{}}
	added, removed, lied, git := 0, 0, d.Stray, false
	mark := map[string]bool{}
	for i := range d.Files {
		f := &d.Files[i]
		if p := f.Path(); p != "" {
			s.Files = append(s.Files, p)
		}
		added, removed = added+f.Added, removed+f.Removed
		mark[KindRename] = mark[KindRename] || f.Kind == Renamed
		mark[KindNewFile] = mark[KindNewFile] || f.Kind == Added
		mark[KindDeletedFile] = mark[KindDeletedFile] || f.Kind == Deleted
		mark[KindBinary] = mark[KindBinary] || f.Binary
		mark[KindSubmodule] = mark[KindSubmodule] || f.Submodule
		mark[KindSymlink] = mark[KindSymlink] || f.Symlink
		git = git || f.GitHeader
		for _, h := range f.Hunks {
			lied = lied || h.Lied
		}
	}
	if !lied {
		s.Added, s.Removed = &added, &removed
	}
	mark[KindHunkLength] = lied && git
	mark[KindNoGitHeader] = len(d.Files) > 0 && !git
	mark[KindNoNewline] = strings.Contains(raw, `\ No newline at end of file`)
	mark[KindCRLF] = strings.Contains(raw, "\r\n")
	mark[KindNUL] = strings.IndexByte(raw, 0) >= 0
	mark[KindFence] = fenceAt(raw, 0) >= 0
	mark[KindNotGitFirst] = raw != "" && !strings.HasPrefix(raw, "diff --git ")
	mark[KindNoFinalBreak] = raw != "" && !strings.HasSuffix(raw, "\n")
	for _, k := range kindOrder {
		if mark[k] {
			s.Kinds = append(s.Kinds, k)
		}
	}
	return s
}

var kindOrder = []string{
	KindRename, KindNewFile, KindDeletedFile, KindBinary, KindSubmodule, KindSymlink, KindNoNewline, KindCRLF,
	KindNUL, KindFence, KindNoGitHeader, KindHunkLength, KindNotGitFirst, KindNoFinalBreak,
}
