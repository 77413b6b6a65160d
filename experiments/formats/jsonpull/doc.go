// Package jsonpull reads JSON from a stream, a value at a time, so that a large
// document never has to be in memory whole: a caller walks into the objects and
// arrays it knows and asks for small values as trees.
//
// It reads what real tools write rather than what the standard allows: a byte
// order mark, bare NaN and Infinity, control characters inside strings, lone
// surrogates and broken UTF-8 (both become U+FFFD), UTF-16 with a mark, a comma
// after the last element (noted in Relaxed). Numbers keep their text. Errors
// carry line and column.
//
// In line mode (NewLines) a line feed ends a value, as in JSON lines: a broken
// line cannot swallow the next one. Only LF splits lines; U+2028 inside a string
// is text.
package jsonpull
