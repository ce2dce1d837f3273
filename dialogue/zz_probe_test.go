package dialogue

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestZZProbe(t *testing.T) {
	f, _ := os.Open("/tmp/probe.txt")
	sc := bufio.NewScanner(f)
	ds := map[string]*Dialogue{}
	for _, l := range []string{"en", "de", "fr"} {
		ds[l] = rental(t, l)
	}
	lang := "en"
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, "#") {
			lang = strings.TrimSpace(line[1:])
			fmt.Println("##", lang)
			continue
		}
		slot, text, _ := strings.Cut(line, ":")
		if slot == "confirm" {
			slot = ""
		}
		for _, s := range strings.Split(slot, ",") {
			fmt.Printf("%-8s %-50q %s\n", s, strings.TrimSpace(text), guess(t, ds[lang], s, strings.TrimSpace(text)))
		}
	}
}
