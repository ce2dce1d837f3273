// The German texts, by themselves: a catalogue that is imported directly is bundled twice, once with a name for each text.

import texts from "../i18n/de.json";

export default texts;
