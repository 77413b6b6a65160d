package logview

import (
	"encoding/json"
	"io"
	"strings"
)

// Node is a JSON value with the order of its members kept, for folding.
type Node struct {
	Key      string // member name or index; empty at the root
	Value    string // the token as written, for a scalar
	IsString bool
	Open     string // "{" or "[" for a container
	Children []Node
}

// Limits of a folded value: beyond them the text is shown as it is.
const (
	jsonBytes = 256 << 10
	jsonNodes = 3000
	jsonDepth = 32
)

// JSON parses s when it is one JSON object or array within the limits. ok is
// false otherwise, and the caller shows plain text.
func JSON(s string) (root Node, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > jsonBytes || s[0] != '{' && s[0] != '[' {
		return Node{}, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	budget := jsonNodes
	root, ok = readNode(d, "", 0, &budget)
	if !ok {
		return Node{}, false
	}
	if _, err := d.Token(); err != io.EOF {
		return Node{}, false
	}
	return root, true
}

func readNode(d *json.Decoder, key string, depth int, budget *int) (Node, bool) {
	*budget--
	if *budget < 0 || depth > jsonDepth {
		return Node{}, false
	}
	tok, err := d.Token()
	if err != nil {
		return Node{}, false
	}
	n := Node{Key: key}
	switch v := tok.(type) {
	case json.Delim:
		n.Open = v.String()
		for i := 0; d.More(); i++ {
			childKey := ""
			if v == '{' {
				name, err := d.Token()
				if err != nil {
					return Node{}, false
				}
				childKey, _ = name.(string)
			}
			child, ok := readNode(d, childKey, depth+1, budget)
			if !ok {
				return Node{}, false
			}
			n.Children = append(n.Children, child)
		}
		_, err = d.Token()
		return n, err == nil
	case string:
		n.Value, n.IsString = v, true
	case json.Number:
		n.Value = v.String()
	case bool:
		n.Value = "false"
		if v {
			n.Value = "true"
		}
	case nil:
		n.Value = "null"
	}
	return n, true
}

// Close is the bracket that ends a container.
func (n Node) Close() string {
	if n.Open == "[" {
		return "]"
	}
	return "}"
}
