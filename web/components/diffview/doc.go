// Package diffview shows a patch of any size: a window of its files and hunks
// with numbered links on both sides, syntax colours made on the server, changed
// words, and marks for what is unusual. It never alters the text of a line.
package diffview

// Guards: beyond them a part of the view is left out, and the page says so.
const (
	WindowRows     = 600     // rows rendered at once
	WindowBytes    = 150_000 // bytes of line text rendered at once
	CutLine        = 4_000   // bytes of a line shown before the rest becomes a link
	HighlightLine  = 10_000  // a longer line switches colours off in its file
	HighlightLines = 5_000   // more lines switch colours off in the whole diff
	IndexFiles     = 100     // files named in the list at the top
	wordLine       = 1_000   // bytes of a line compared word by word
	wordTokens     = 300     // tokens of a line compared word by word
)
