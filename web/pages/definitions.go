package pages

import (
	"plumbline/web/components"
	"plumbline/web/layout"
)

// DefinitionsView is the page that says exactly what every number means.
type DefinitionsView struct {
	Frame layout.Frame
}

type definitionGroup struct {
	Name string
	All  []components.Definition
}

// groups are the definitions by group, both in the order of the list.
func groups() []definitionGroup {
	var out []definitionGroup
	for _, d := range components.Definitions {
		if len(out) == 0 || out[len(out)-1].Name != d.Group {
			out = append(out, definitionGroup{Name: d.Group})
		}
		out[len(out)-1].All = append(out[len(out)-1].All, d)
	}
	return out
}
