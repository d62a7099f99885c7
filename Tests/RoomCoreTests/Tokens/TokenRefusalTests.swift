import RoomModel
import RoomTokens
import Testing

@testable import RoomCore

/// Tokens that let nobody in, and what their holder is told.
struct TokenRefusalTests {
    private static let payload = #"{"channel":"app","exp":2000,"permissions":{}}"#

    @Test(arguments: ["", "x", "a.b", "a.b.c.d", "...", "é.é", String(repeating: "x", count: 200_000)])
    func `what does not have three parts is told so in Scaledrone's words`(token: String) {
        let refusal = Self.refusal(token)
        #expect(refusal?.code == .tokenInvalid)
        #expect(refusal?.text == "JWT does not have 3 parts")
    }

    @Test(arguments: ["..", "a.b.c", "e30.e30.", "e30=.e30.e30", "e30 .e30.e30", "é.é.é", "+/+/.e30.e30", "\0.\0.\0"])
    func `garbage in three parts is refused`(token: String) {
        #expect(Self.refusal(token)?.code == .tokenInvalid)
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":""}"#, #"{"alg":"RS256"}"#, #"{"alg":"HS384"}"#,
        #"{"alg":"hs256"}"#, #"{"alg":"HS256 "}"#, #"{"alg":"HS\u0032\u0035\u0036x"}"#, #"{"alg":null}"#,
        #"{"alg":["HS256"]}"#, #"{"typ":"JWT"}"#, #"{}"#, #"[]"#, #""HS256""#, "", "{",
        #"{"alg":"HS256"} x"#, #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"none","alg":"HS256"}"#,
        #"{"alg":"HS256","crit":["exp"],"exp":1}"#,
    ])
    func `only HS256 is an algorithm, whatever the signature`(header: String) {
        for token in [TokenSample.sign(Self.payload, header: header), Self.unsigned(header)] {
            let refusal = Self.refusal(token)
            #expect(refusal?.code == .tokenInvalid)
            #expect(refusal?.text.contains("alg") == true)
        }
    }

    @Test(arguments: [
        #"{"alg":"HS256"}"#, #"{"typ":"anything","alg":"HS256","kid":"k","cty":[]}"#, #" { "alg" : "HS256" } "#,
    ])
    func `the rest of the header means nothing`(header: String) throws {
        _ = try TokenSample.verifier().verify(TokenSample.sign(Self.payload, header: header), now: 1000)
    }

    @Test func `another secret's signature is refused, and none`() throws {
        let token = TokenSample.sign(Self.payload)
        let unsigned = String(token[...(try #require(token.lastIndex(of: ".")))])
        for forged in [TokenSample.sign(Self.payload, with: ChannelSecret(text: "guessed")), unsigned, token + "A"] {
            #expect(Self.refusal(forged)?.code == .tokenInvalid)
        }
    }

    @Test(arguments: [
        (#"{"channel":"other","exp":2000,"permissions":{}}"#, "channel"),
        (#"{"channel":"App","exp":2000,"permissions":{}}"#, "channel"),
        (#"{"channel":"app ","exp":2000,"permissions":{}}"#, "channel"),
        (#"{"exp":2000,"permissions":{}}"#, "channel"),
        (#"{"channel":null,"exp":2000,"permissions":{}}"#, "channel"),
        (#"{"channel":["app"],"exp":2000,"permissions":{}}"#, "channel"),
        (#"{"channel":"app","channel":"app","exp":2000,"permissions":{}}"#, "channel"),
        (#"{"channel":"app","permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":"2000","permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":true,"permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":1e400,"permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":1e16,"permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":01,"permissions":{}}"#, ""),
        (#"{"channel":"app","exp":2000,"exp":9000,"permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":2000,"\u0065xp":9000,"permissions":{}}"#, "exp"),
        (#"{"channel":"app","exp":2000}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":[]}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":true}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"publish":1}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"publish":"true"}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"publish":true,"publish":false}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"history":-1}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"history":1.5}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"history":true}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{},"permissions":{".*":{"publish":true}}}"#, "permissions"),
        (#"{"client":7,"channel":"app","exp":2000,"permissions":{}}"#, "client"),
        (#"{"client":"\ud800","channel":"app","exp":2000,"permissions":{}}"#, "client"),
        (#"{"nbf":"now","channel":"app","exp":2000,"permissions":{}}"#, "nbf"),
        (#"{"data":1,"data":2,"channel":"app","exp":2000,"permissions":{}}"#, "data"),
        (#"{"client":null,"client":"x","channel":"app","exp":2000,"permissions":{}}"#, "client"),
        (#"{"client":"x","client":null,"channel":"app","exp":2000,"permissions":{}}"#, "client"),
        (#"{"nbf":null,"nbf":null,"channel":"app","exp":2000,"permissions":{}}"#, "nbf"),
        (#"{"data":null,"data":{"id":"admin"},"channel":"app","exp":2000,"permissions":{}}"#, "data"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"publish":null,"publish":true}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{".*":{"history":null,"history":9}}}"#, "permissions"),
        (#"{"channel":"app","exp":2000,"permissions":{}} {}"#, "JSON"),
        (#"{"channel":"app","exp":2000,"permissions":{},}"#, "JSON"),
        (#"{"channel":"app" "exp":2000,"permissions":{}}"#, "JSON"),
        (#"{"channel":"app","exp":2000,"permissions":{},"x":"\#u{1}"}"#, "JSON"),
        (#"{"channel":"app","exp":2000,"permissions":{},"x":"\x"}"#, "JSON"),
        (#"[{"channel":"app","exp":2000,"permissions":{}}]"#, "JSON"),
        ("", "JSON"), ("null", "JSON"), ("{", "JSON"),
    ])
    func `a signed token with wrong claims is told what would be right`(payload: String, named: String) {
        let refusal = Self.refusal(TokenSample.sign(payload))
        #expect(refusal?.code == .tokenInvalid)
        #expect(refusal?.text.contains(named) != false)
    }

    @Test func `what is nested without end is refused`() {
        let open = String(repeating: "[", count: 5000)
        #expect(Self.refusal(TokenSample.sign(#"{"x":\#(open)"#))?.code == .tokenInvalid)
        let levels = { (count: Int) in
            #"{"channel":"app","exp":2000,"permissions":{},"x":"#
                + String(repeating: "[", count: count) + String(repeating: "]", count: count) + "}"
        }
        #expect(Self.refusal(TokenSample.sign(levels(TokenLimits.nesting - 1))) == nil)
        #expect(Self.refusal(TokenSample.sign(levels(TokenLimits.nesting)))?.code == .tokenInvalid)
    }

    @Test func `what is not UTF-8 is refused`() {
        for payload in [[0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
            let token = TokenSigner(secret: TokenSample.secret.text).sign(payload: payload)
            #expect(Self.refusal(token)?.code == .tokenInvalid)
        }
    }

    @Test func `a token that is too large is refused`() {
        let filler = String(repeating: "x", count: TokenLimits.text)
        let token = TokenSample.sign(#"{"channel":"app","exp":2000,"permissions":{},"x":"\#(filler)"}"#)
        #expect(Self.refusal(token)?.text.contains("\(TokenLimits.text) bytes") == true)
    }

    @Test(arguments: [
        ("literal", TokenLimits.patterns, 6), ("(expression)", TokenLimits.expressions, 12),
        ("^", 1, TokenLimits.pattern),
    ])
    func `patterns are bounded in number and length`(prefix: String, most: Int, width: Int) {
        let permissions = { (count: Int, width: Int) in
            let patterns = (0..<count).map { number in
                "\"\(prefix)" + String(repeating: "0", count: max(0, width - prefix.count - "\(number)".count))
                    + "\(number)\":{}"
            }
            return "{" + patterns.joined(separator: ",") + "}"
        }
        let token = { (permissions: String) in
            TokenSample.sign(#"{"channel":"app","exp":2000,"permissions":\#(permissions)}"#)
        }
        #expect(Self.refusal(token(permissions(most, width))) == nil)
        let over = most == 1 ? permissions(1, width + 1) : permissions(most + 1, width)
        #expect(Self.refusal(token(over))?.text.contains("at most") == true)
    }

    @Test func `no refusal says anything of the token or the secret`() {
        let secret = TokenSample.secret.text
        let payloads = [
            #"{"channel":"hushhush","exp":2000,"permissions":{}}"#, #"{"channel":"app","exp":"hushhush"}"#,
            #"{"channel":"app","exp":2000,"permissions":{"hushhush":7}}"#, #"{"hushhush""#,
            #"{"channel":"app","exp":1,"permissions":{"hushhush":{}}}"#,
        ]
        for payload in payloads {
            for secret in [TokenSample.secret, ChannelSecret(text: "hushhush")] {
                let token = TokenSample.sign(payload, with: secret)
                let text = Self.refusal(token)?.text ?? "hushhush"
                #expect(!text.contains("hushhush"))
                for part in token.split(separator: ".") { #expect(!text.contains(part)) }
            }
        }
        #expect(!"\(TokenSample.verifier())".contains(secret))
        #expect(!"\(TokenSigner(secret: TokenSample.secret.text))".contains(secret))
    }

    private static func refusal(_ token: String) -> RequestError? {
        do throws(RequestError) {
            _ = try TokenSample.verifier().verify(token, now: 1000)
            return nil
        } catch {
            return error
        }
    }

    private static func unsigned(_ header: String) -> String {
        Base64URL.encode(header.utf8) + "." + Base64URL.encode(Self.payload.utf8) + "."
    }
}
