package pages

import "github.com/a-h/templ"

// cells is the list of a row's cells.
func cells(all ...templ.Component) []templ.Component { return all }
