package charts

import (
	"plumbline/web/components"
)

// addRow appends a line of plain texts to the table of a figure.
func addRow(t *components.Table, cells ...string) {
	row := components.Row{}
	for _, c := range cells {
		row.Cells = append(row.Cells, components.Text(c))
	}
	t.Rows = append(t.Rows, row)
}
