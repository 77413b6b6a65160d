package logview

import (
	"bytes"
	"context"
	"testing"
)

func TestX(t *testing.T) {
	var b bytes.Buffer
	Log(Window("a\x1b[31mred\x1b[0m\r\nx\ry\n  z\x00\n", Options{ID: "s1"})).Render(context.Background(), &b)
	t.Logf("%q", b.String())
}
