package ablation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// goCuts lists what can go from a Go file; a file that does not parse has nothing.
func goCuts(src source) []cut {
	text := strings.Join(src.lines, "\n") + "\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, src.file, text, parser.ParseComments)
	if err != nil {
		return nil
	}
	g := goFile{src: src, text: text, fset: fset, file: file}
	out := g.imports()
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			out = append(out, g.surface(f)...)
			out = append(out, g.branches(f)...)
		}
	}
	return unique(out)
}

type goFile struct {
	src  source
	text string
	fset *token.FileSet
	file *ast.File
}

func (g goFile) line(p token.Pos) int { return g.fset.Position(p).Line }

// code is the text between two positions.
func (g goFile) code(from, to token.Pos) string {
	return g.text[g.fset.Position(from).Offset:g.fset.Position(to).Offset]
}

func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return ""
	}
	return path.Base(p)
}

// imports: added imports that are used and that the base lacks. Of several in one declaration only the one
// goes; a declaration of its own goes whole.
func (g goFile) imports() []cut {
	var out []cut
	for _, d := range g.file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		for _, spec := range gen.Specs {
			s := spec.(*ast.ImportSpec)
			from, to := g.line(s.Pos()), g.line(s.End())
			if len(gen.Specs) == 1 {
				from, to = g.line(gen.Pos()), g.line(gen.End())
			}
			name := importName(s)
			if name == "_" || name == "." || !g.src.allAdded(from, to) || !strings.Contains(g.src.without(from, to), name+".") || strings.Contains(g.src.base, s.Path.Value) {
				continue
			}
			out = append(out, cut{kind: Import, at: from, item: "import " + s.Path.Value, from: from, to: to})
		}
	}
	return out
}

func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if x, ok := t.(*ast.IndexExpr); ok {
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// surface: the body of a function that the patch added or changed.
func (g goFile) surface(f *ast.FuncDecl) []cut {
	from, to := g.line(f.Body.Lbrace)+1, g.line(f.Body.Rbrace)-1
	if from > to || len(f.Body.List) == 0 || f.Name.Name == "init" || f.Name.Name == "main" {
		return nil
	}
	c := cut{kind: Surface, at: g.line(f.Pos()), item: funcName(f), from: from, to: to}
	switch {
	case g.src.allAdded(g.line(f.Pos()), to):
		c.with = g.nothing(f)
		c.also = g.unused(from, to)
	case g.src.anyAdded(from, to) && strings.Contains(g.src.base, f.Name.Name+"("):
		c.revert = true
		c.also = g.unused(from, to)
	default:
		return nil
	}
	return []cut{c}
}

// nothing is a body that returns zero values.
func (g goFile) nothing(f *ast.FuncDecl) []string {
	r := f.Type.Results
	if r == nil || len(r.List) == 0 {
		return nil
	}
	if len(r.List[0].Names) > 0 {
		return []string{"\treturn"}
	}
	var out, names []string
	for i, field := range r.List {
		name := "zero" + strconv.Itoa(i)
		out = append(out, "\tvar "+name+" "+g.code(field.Type.Pos(), field.Type.End()))
		names = append(names, name)
	}
	return append(out, "\treturn "+strings.Join(names, ", "))
}

// branches: added ifs without an else, and added cases of a switch.
func (g goFile) branches(f *ast.FuncDecl) []cut {
	var out []cut
	add := func(n ast.Node, item string) {
		from, to := g.line(n.Pos()), g.line(n.End())
		if c, ok := n.(*ast.CaseClause); ok && len(c.Body) == 0 {
			to = g.line(c.Colon)
		}
		if from < to && g.src.allAdded(from, to) {
			out = append(out, cut{kind: Branch, at: from, item: short(item), in: funcName(f), from: from, to: to, also: g.unused(from, to)})
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				if x, ok := s.(*ast.IfStmt); ok && x.Else == nil {
					add(x, g.code(x.Pos(), x.Body.Lbrace))
				}
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				if x, ok := s.(*ast.IfStmt); ok && x.Else == nil {
					add(x, g.code(x.Pos(), x.Body.Lbrace))
				}
			}
			if n.List != nil {
				add(n, g.code(n.Pos(), n.Colon))
			}
		}
		return true
	})
	return out
}

// unused lists added imports that nothing but the given lines uses: they would
// never have been written.
func (g goFile) unused(from, to int) [][2]int {
	var out [][2]int
	gone, rest := g.src.text(from, to), g.src.without(from, to)
	for _, s := range g.file.Imports {
		name := importName(s)
		n := g.line(s.Pos())
		if word(gone, name) && !strings.Contains(rest, name+".") && g.src.allAdded(n, n) {
			out = append(out, [2]int{n, n})
		}
	}
	return out
}
