// The server's drawing, in the page: rebuilt element by element from a list of what a drawing may have, so that nothing else
// comes in, whatever the server sent. Its colours are those of this app's style sheet.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";

const space = "http://www.w3.org/2000/svg";
const elements = new Set(["svg", "title", "desc", "defs", "marker", "g", "path", "rect", "circle", "ellipse", "line", "polygon", "text", "tspan"]);
const attributes = new Set([
  "viewBox", "width", "height", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "d", "points", "transform", "class",
  "refX", "refY", "markerWidth", "markerHeight", "markerUnits", "orient", "stroke-dasharray", "data-path", "data-way",
]);

interface Policy {
  createHTML(text: string): string;
}

/** Parsing is the one thing that a page with trusted types asks a policy for. */
const policy: Policy = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes
  ?.createPolicy("drawing", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

let drawings = 0;

/** Rebuilds a drawing; undefined where it is none. */
export function rebuilt(text: string): SVGSVGElement | undefined {
  const quiet = text.replace(/<style>[^]*?<\/style>/g, "").replaceAll(' style="', ' data-style="'); // which the policy would report, and nothing reads
  const parsed = new DOMParser().parseFromString(policy.createHTML(quiet), "image/svg+xml").documentElement;
  if (parsed.localName !== "svg" || parsed.namespaceURI !== space) return undefined;
  const prefix = `drawing${++drawings}-`;
  return copy(parsed, prefix) as SVGSVGElement;
}

function copy(from: Element, prefix: string): SVGElement {
  const to = document.createElementNS(space, from.localName) as SVGElement;
  for (const { name, value } of from.attributes) {
    if (attributes.has(name)) to.setAttribute(name, value);
    else if (name === "id") to.setAttribute("id", prefix + value);
    else if (name === "data-style") to.style.stroke = /^stroke:(#[0-9a-fA-F]{3,8}|[a-z]+);/.exec(value)?.[1] ?? "";
    else if (name.startsWith("marker-") && /^url\(#[\w-]+\)$/.test(value)) to.setAttribute(name, value.replace("#", "#" + prefix));
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.textContent ?? "");
    else if (child instanceof Element && child.namespaceURI === space && elements.has(child.localName)) to.append(copy(child, prefix));
  }
  return to;
}

/** Takes away the room of the title above: the page has its own. */
function crop(picture: SVGSVGElement): void {
  const [x, y, w, h] = (picture.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const above = 40;
  if (!picture.querySelector(":scope > .name") || !(h! > 2 * above)) return;
  picture.setAttribute("viewBox", `${x} ${y! + above} ${w} ${h! - above}`);
  picture.setAttribute("height", String(h! - above));
}

/** The states of nodes, by their paths: done, running, waiting, failed, skipped. */
export type States = ReadonlyMap<string, string>;

const states = ["done", "running", "waiting", "failed", "skipped"];

export function Drawing({ svg, states: now, choose, label }: {
  svg: string; states?: States; choose?: (path: string) => void; label: string;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [made, make] = useState<SVGSVGElement>();
  useEffect(() => {
    const picture = rebuilt(svg);
    if (picture) {
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", label);
      picture.querySelector(":scope > .page")?.remove();
      crop(picture);
      picture.querySelector(":scope > title")?.remove();
    }
    box.current?.replaceChildren(...(picture ? [picture] : []));
    make(picture);
  }, [svg]);
  useEffect(() => {
    if (!now) return; // it shows what the server drew
    for (const node of made?.querySelectorAll("g.node") ?? []) {
      const path = node.getAttribute("data-path") ?? (node.querySelector(":scope > title")?.textContent ?? "").replace(/: \w+$/, "");
      const state = now.get(path);
      for (const name of states) node.classList.toggle(name, name === state);
    }
  }, [made, now]);
  return (
    <div class="drawing" tabIndex={0} role="region" aria-label={label} ref={box} onClick={(e) => {
      const title = (e.target as Element).closest("g.node")?.querySelector(":scope > title")?.textContent;
      if (title && choose) choose(title.replace(/: \w+$/, ""));
    }} data-empty={svg === "" ? t("drawing.none") : undefined} />
  );
}
