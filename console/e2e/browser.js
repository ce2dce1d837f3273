// A headless Chromium, as it comes from npm, or the one that CHROMIUM names.

import { chromium } from "playwright-core";

export async function launch() {
  let executablePath = process.env.CHROMIUM;
  let args = [];
  if (!executablePath) {
    const packed = (await import("@sparticuz/chromium")).default;
    executablePath = await packed.executablePath();
    args = packed.args.filter((a) => !a.startsWith("--headless") && a !== "--single-process" && a !== "--no-zygote");
  }
  return chromium.launch({ executablePath, args: [...args, "--no-sandbox"], headless: true });
}
