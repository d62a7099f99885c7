import Foundation

/// Where the next page of a list begins, as a text that is nobody's business but ours.
enum PageCursor {
    static func text(_ place: String) -> String {
        Data(place.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// `nil` where the text is none that we have given.
    static func place(_ text: String) -> String? {
        if text.isEmpty { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding) else { return nil }
        guard let place = String(data: data, encoding: .utf8), self.text(place) == text else { return nil }
        return place
    }
}
