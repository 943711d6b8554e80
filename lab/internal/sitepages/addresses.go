package sitepages

// addresses are the places of the project's files on the site, by their paths below the root. Links of documents to other
// files lead to the repository.
type addresses map[string]address

// An address is a page of the site or a file.
type address struct {
	// Page is the path of a page's content, without its ending, such as "/guide/locks".
	Page string `json:"page,omitempty"`
	// Split is set if each section of the document has a page of its own below Page.
	Split bool `json:"split,omitempty"`
	// Anchor is the place on the page, empty for the whole page.
	Anchor string `json:"anchor,omitempty"`
	// File is the path of a file below the site's root.
	File string `json:"file,omitempty"`
}

// writeAddresses writes the addresses for the layouts of links and pictures.
func (s *site) writeAddresses() error { return s.data("addresses", s.addresses) }
