// An issuer of OpenID Connect for tests. It logs everybody in as the person that the test names, and checks what it is asked for.

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer } from "node:http";

const base64 = (data) => Buffer.from(data).toString("base64url");

export class Issuer {
  url = "";
  claims = { sub: "u-1", email: "ada@example.com", email_verified: true, name: "Ada", groups: ["finance"] };
  ended = 0; // sessions that were ended here
  #key = generateKeyPairSync("rsa", { modulusLength: 2048 });
  #codes = new Map();
  #server = createServer((request, response) => this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error))));

  async start() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  end() {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request, response) {
    const at = new URL(request.url, this.url);
    const json = (body) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const to = (address) => response.writeHead(302, { Location: address }).end();
    switch (at.pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer: this.url, authorization_endpoint: this.url + "/authorize", token_endpoint: this.url + "/token", jwks_uri: this.url + "/keys",
          end_session_endpoint: this.url + "/end", id_token_signing_alg_values_supported: ["RS256"], token_endpoint_auth_methods_supported: ["none"],
        });
      case "/keys":
        return json({ keys: [{ ...this.#key.publicKey.export({ format: "jwk" }), kid: "k1", use: "sig", alg: "RS256" }] });
      case "/authorize": {
        const code = randomBytes(16).toString("hex");
        this.#codes.set(code, { nonce: at.searchParams.get("nonce"), challenge: at.searchParams.get("code_challenge") });
        return to(`${at.searchParams.get("redirect_uri")}?code=${code}&state=${at.searchParams.get("state")}`);
      }
      case "/token": {
        let body = "";
        for await (const piece of request) body += piece;
        const form = new URLSearchParams(body);
        const begun = this.#codes.get(form.get("code"));
        this.#codes.delete(form.get("code"));
        if (!begun || createHash("sha256").update(form.get("code_verifier")).digest("base64url") !== begun.challenge) return response.writeHead(400).end();
        const now = Math.floor(Date.now() / 1000);
        const input = base64(JSON.stringify({ alg: "RS256", kid: "k1" })) + "." +
          base64(JSON.stringify({ ...this.claims, iss: this.url, aud: "fermata", iat: now, exp: now + 300, nonce: begun.nonce }));
        return json({ access_token: "none", token_type: "Bearer", id_token: input + "." + base64(sign("sha256", Buffer.from(input), this.#key.privateKey)) });
      }
      case "/end":
        this.ended++;
        return to(at.searchParams.get("post_logout_redirect_uri"));
    }
    return response.writeHead(404).end();
  }
}
