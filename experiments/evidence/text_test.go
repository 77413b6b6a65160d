package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShow(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"nul", "a\x00b", "a\uFFFD⟨NUL⟩b"},
		{"bidi override", "x\u202Ey\u2066", "x⟨U+202E⟩y⟨U+2066⟩"},
		{"zero width and tags", "a\u200Bb\U000E0041", "a⟨U+200B⟩b⟨U+E0041⟩"},
		{"byte order mark", "\uFEFFa", "⟨U+FEFF⟩a"},
		{"colour", "\x1b[31mred", "⟨U+001B⟩[31mred"},
		{"c1", "a\u0085b", "a⟨U+0085⟩b"},
		{"line separator", "a\u2028b", "a⟨U+2028⟩b"},
		{"invalid utf-8", "a\x80\xffb", "a\uFFFD⟨byte 80⟩\uFFFD⟨byte FF⟩b"},
		{"a true replacement character", "a\uFFFDb", "a\uFFFDb"},
		{"crlf everywhere", "a\r\nb\r\n", "a\nb\n"},
		{"crlf in places", "a\r\nb\n", "a⟨U+000D⟩\nb\n"},
		{"letters", "Grüße 日本 😀", "Grüße 日本 😀"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Show(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本": 2, "né": 2} {
		if got := Tokens(in); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", in, got, want)
		}
	}
}

func FuzzShow(f *testing.F) {
	f.Add("a\x00\u202E\xff\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		out := Show(s)
		if !utf8.ValidString(out) || strings.ContainsAny(out, "\x00\x1b\u202E\u200B") {
			t.Errorf("Show(%q) = %q", s, out)
		}
		if strings.Count(out, "\n") != strings.Count(s, "\n") {
			t.Errorf("Show(%q) changes the number of lines", s)
		}
	})
}
